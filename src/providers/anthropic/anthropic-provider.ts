import type { Anthropic } from '@anthropic-ai/sdk';
import { singleAttempt } from '../attempt';
import { badResponse, type CallTarget } from '../errors';
import type {
  CallOptions,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from '../provider';
import { readStream } from '../read-stream';
import { fromAnthropicError } from './anthropic-errors';
import { anthropicApi } from './blocks';
import { anthropicClient, supportedSchema } from './client';
import { anthropicCredentials } from './credentials';
import { fromMessage } from './from-message';
import { MessageAccumulator } from './message-accumulator';
import { toMessagesRequest } from './to-messages-request';
import { reportingChunks } from './wire-activity';

/** Anthropic's Messages API, and servers that speak it. The environment is read and the SDK loaded at the first call. */
export function createAnthropicProvider(name: string, config: ProviderConfig): ModelProvider {
  let client: Anthropic | undefined;
  return {
    name,
    call: (request, options) => {
      const { apiKey, secrets } = anthropicCredentials(name, config);
      const target = { provider: name, model: request.model, secrets };
      const attempt = (own: CallOptions, wasCut: () => boolean): Promise<ModelResponse> => {
        client ??= anthropicClient(config, apiKey);
        return callMessages({ client, config, target, wasCut }, request, own);
      };
      return singleAttempt(options, attempt, (error) => fromAnthropicError(error, target));
    },
    check: () => anthropicCredentials(name, config).missing,
  };
}

type CallContext = {
  readonly client: Anthropic;
  readonly config: ProviderConfig;
  readonly target: CallTarget;
  readonly wasCut: () => boolean;
};

async function callMessages(
  { client, config, target, wasCut }: CallContext,
  request: ModelRequest,
  { signal, onActivity, onDelta }: CallOptions,
): Promise<ModelResponse> {
  const body = toMessagesRequest(withSupportedSchema(request), config.extra);
  const { data: events, request_id: requestId } = await client.messages
    .create(body, { signal, middleware: [reportingChunks(onActivity)] })
    .withResponse();
  const message = new MessageAccumulator(onDelta);
  await readStream(events, message, { wasCut });
  if (!message.isComplete && !wasCut())
    throw badResponse(target, 'the stream ended without its message_stop');
  const origin = { provider: target.provider, api: anthropicApi, model: request.model };
  return fromMessage(message.message(), origin, requestId);
}

function withSupportedSchema(request: ModelRequest): ModelRequest {
  const { output } = request;
  if (output === undefined) return request;
  return { ...request, output: { ...output, schema: supportedSchema(output.schema) } };
}
