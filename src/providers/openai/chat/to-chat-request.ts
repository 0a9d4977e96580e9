import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions/completions';
import type { JsonObject } from '../../../base/json';
import { mergeExtra } from '../../merge-extra';
import type { ModelRequest, ToolDeclaration } from '../../provider';
import type { Endpoint } from '../endpoint';
import { isStrictSchema } from '../strict-schema';
import { namedSchema } from '../structured-output';
import { toChatMessages } from './to-chat-messages';
import { offeredTools, toChatToolChoice } from '../tool-choice';

type ChatDialect = Pick<Endpoint, 'ownHost' | 'maxTokensField'>;

/** The whole body of one call. Compatible servers get no field that only OpenAI knows. */
export function toChatRequest(
  request: ModelRequest,
  { ownHost, maxTokensField }: ChatDialect,
  configured?: JsonObject,
): ChatCompletionCreateParamsStreaming {
  const { settings, tools, cacheKey } = request;
  const body = {
    model: request.model,
    messages: [...systemMessage(request), ...toChatMessages(request.messages, ownHost)],
    ...(tools.length === 0 ? {} : { tools: offeredTools(request, ownHost).map(toTool(ownHost)) }),
    ...toChatToolChoice(request, ownHost),
    ...responseFormat(request),
    ...(settings.reasoning?.effort === undefined
      ? {}
      : { reasoning_effort: settings.reasoning.effort }),
    ...(settings.maxOutputTokens === undefined
      ? {}
      : { [maxTokensField]: settings.maxOutputTokens }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.stop === undefined || settings.stop.length === 0
      ? {}
      : { stop: [...settings.stop] }),
    ...(ownHost ? { store: false, prompt_cache_key: cacheKey } : {}),
    stream: true,
    stream_options: { include_usage: true },
  } satisfies ChatCompletionCreateParamsStreaming;
  return withExtra(withExtra(body, configured), settings.extra);
}

function systemMessage({ instructions }: ModelRequest): ChatCompletionMessageParam[] {
  return instructions === undefined ? [] : [{ role: 'system', content: instructions }];
}

function toTool(ownHost: boolean): (tool: ToolDeclaration) => ChatCompletionTool {
  return ({ name, description, inputSchema }) => {
    const strict = ownHost && isStrictSchema(inputSchema) ? { strict: true } : {};
    return {
      type: 'function',
      function: { name, description, parameters: inputSchema, ...strict },
    };
  };
}

function responseFormat({
  output,
}: ModelRequest): Pick<ChatCompletionCreateParamsStreaming, 'response_format'> {
  if (output === undefined) return {};
  return { response_format: { type: 'json_schema', json_schema: namedSchema(output) } };
}

function withExtra(
  body: ChatCompletionCreateParamsStreaming,
  extra: JsonObject | undefined,
): ChatCompletionCreateParamsStreaming {
  return mergeExtra(
    body as unknown as JsonObject,
    extra,
  ) as unknown as ChatCompletionCreateParamsStreaming;
}
