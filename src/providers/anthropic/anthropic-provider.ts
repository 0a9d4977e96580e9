import type * as sdkModule from '@anthropic-ai/sdk';
import type { Anthropic } from '@anthropic-ai/sdk';
import { readStream, singleAttempt } from '../attempt';
import {
  badResponse,
  type CallTarget,
  type HeaderSource,
  isNetworkError,
  providerErrorFromBody,
  providerErrorFromNetwork,
  providerErrorFromStatus,
} from '../errors';
import type {
  CallOptions,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from '../provider';
import { anthropicApi } from './blocks';
import { fromMessage } from './from-message';
import { MessageAccumulator } from './message-accumulator';
import { toMessagesRequest } from './to-messages-request';
import { boundedBody, unredirectedFetch } from '../bounded-body';
import type * as schemaModule from '@anthropic-ai/sdk/lib/transform-json-schema';
import { defined, isJsonObject, type JsonSchema } from '../../base';
import { keyVariable, loadPeer, LonghaulError, timeouts } from '../../protocol';
import { type Environment, missingKey, readVariable } from '../api-keys';

/** Keys and tokens that the SDK reads from the environment. */
const secretVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;

/** Variables that name a profile or a workload identity for the SDK. */
const otherVariables = ['ANTHROPIC_PROFILE', 'ANTHROPIC_FEDERATION_RULE_ID'] as const;

/** Anthropic's Messages API, and compatible servers. The first call reads the environment and loads the SDK. */
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

type Fetching = <Request>(
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** Middleware that reports every chunk. The SDK hides `ping` events, and a model that thinks sends nothing else. */
function reportingChunks(onActivity: () => void): Fetching {
  return async (request, next) => boundedBody(await next(request), onActivity);
}

/* eslint-disable @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package */

/** Loads the SDK. A worker that never calls Anthropic does not load it. */
function anthropicClient(config: ProviderConfig, apiKey: string | undefined): sdkModule.Anthropic {
  const sdk = loadPeer('@anthropic-ai/sdk', () => require('@anthropic-ai/sdk') as typeof sdkModule);
  return new sdk.Anthropic({
    maxRetries: 0,
    fetch: unredirectedFetch,
    // Without it the SDK refuses calls that may take longer than 10 minutes.
    timeout: timeouts.modelScheduleToClose,
    ...defined({ apiKey, baseURL: config.baseURL, defaultHeaders: config.headers }),
    // The SDK's warnings quote the model, so they are off by default.
    ...(process.env['ANTHROPIC_LOG'] === undefined ? { logLevel: 'off' } : {}),
  });
}

/** The SDK moves keywords that the API does not take into descriptions. A schema that it cannot rewrite goes as it is. */
function supportedSchema(schema: JsonSchema): JsonSchema {
  const path = '@anthropic-ai/sdk/lib/transform-json-schema';
  const { transformJSONSchema } = require(path) as typeof schemaModule;
  try {
    return transformJSONSchema(schema);
  } catch {
    return schema;
  }
}

/** Without `apiKey` the SDK reads the environment. `secrets` are removed from every message. */
type AnthropicCredentials = {
  readonly apiKey: string | undefined;
  readonly secrets: readonly string[];
  /** The problem, if there are no credentials. */
  readonly missing: string | undefined;
};

/**
 * A provider with another name reads its own key first. A server at another base URL never gets Anthropic's key; a local server may need
 * no key.
 */
export function anthropicCredentials(
  name: string,
  config: ProviderConfig,
  environment: Environment = process.env,
): AnthropicCredentials {
  const isBuiltIn = name === 'anthropic';
  const ownVariable = keyVariable(name);
  const given = config.apiKey ?? (isBuiltIn ? undefined : readVariable(environment, ownVariable));
  const isElsewhere = !isBuiltIn && config.baseURL !== undefined;
  const apiKey = given ?? (isElsewhere ? 'none' : undefined);
  const headers = Object.entries(config.headers ?? {});
  const inHeaders = headers.some(([header]) => /^(?:x-api-key|authorization)$/i.test(header));
  const read = (variable: string): string | undefined => readVariable(environment, variable);
  const fromEnvironment = secretVariables.map(read);
  const isNamed = [...fromEnvironment, ...otherVariables.map(read)].some((value) => value);
  const found = apiKey !== undefined || inHeaders || isNamed;
  const variables = isBuiltIn ? ['ANTHROPIC_API_KEY'] : [ownVariable, 'ANTHROPIC_API_KEY'];
  return {
    apiKey,
    secrets: [given, ...fromEnvironment, ...headers.map(([, value]) => value)].filter(
      (value) => value !== undefined,
    ),
    missing: found ? undefined : missingKey(name, variables).message,
  };
}

/** An error that the SDK throws. This reads its fields, because in some realms its classes come from another module instance. */
type SdkError = {
  readonly status?: unknown;
  readonly headers?: HeaderSource;
  readonly errorCode?: string | null;
  readonly type?: string | null;
  readonly apiMessage?: string | null;
  readonly message?: string;
};

export function fromAnthropicError(error: unknown, target: CallTarget): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const found = (isJsonObject(error) ? error : {}) as SdkError;
  const { status, headers, errorCode, type, message } = found;
  const body = { code: errorCode, type, message: found.apiMessage ?? message };
  if (typeof status === 'number') {
    return providerErrorFromStatus({ ...target, ...body, status, headers });
  }
  // An `error` event in a stream.
  if (typeof type === 'string') return providerErrorFromBody(target, body);
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  if (/authentication method|credential|profile/i.test(message ?? '')) {
    return missingKey(target.provider, ['ANTHROPIC_API_KEY']);
  }
  return badResponse(target, message ?? 'the response cannot be read');
}
