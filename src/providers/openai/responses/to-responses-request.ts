import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
} from 'openai/resources/responses/responses';
import type { JsonObject } from '../../../base/json';
import { mergeExtra } from '../../merge-extra';
import type { ModelRequest, ToolDeclaration } from '../../provider';
import { isStrictSchema } from '../strict-schema';
import { namedSchema } from '../structured-output';
import { toResponsesInput } from './to-responses-input';
import { toResponsesToolChoice } from '../tool-choice';

/** The whole body of one stateless call: nothing is kept by the provider, history comes along every time. */
export function toResponsesRequest(
  request: ModelRequest,
  configured?: JsonObject,
): ResponseCreateParamsStreaming {
  const { instructions, settings, tools } = request;
  const body = {
    model: request.model,
    ...(instructions === undefined ? {} : { instructions }),
    input: toResponsesInput(request.messages),
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool) }),
    ...toResponsesToolChoice(request),
    ...textFormat(request),
    ...(settings.reasoning?.effort === undefined
      ? {}
      : { reasoning: { effort: settings.reasoning.effort } }),
    ...(settings.maxOutputTokens === undefined
      ? {}
      : { max_output_tokens: settings.maxOutputTokens }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    store: false,
    ...(hasEncryptedReasoning(request.model)
      ? { include: ['reasoning.encrypted_content' as const] }
      : {}),
    prompt_cache_key: request.cacheKey,
    stream: true,
  } satisfies ResponseCreateParamsStreaming;
  return withExtra(withExtra(body, configured), settings.extra);
}

/** Models before the reasoning ones refuse a request that includes it. */
function hasEncryptedReasoning(model: string): boolean {
  return !/^(?:ft:)?(?:gpt-3\.5|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)/.test(model);
}

function withExtra(
  body: ResponseCreateParamsStreaming,
  extra: JsonObject | undefined,
): ResponseCreateParamsStreaming {
  return mergeExtra(
    body as unknown as JsonObject,
    extra,
  ) as unknown as ResponseCreateParamsStreaming;
}

/** Strict is the API's default, so it is always said. */
function toFunctionTool({ name, description, inputSchema }: ToolDeclaration): FunctionTool {
  return {
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: isStrictSchema(inputSchema),
  };
}

function textFormat({ output }: ModelRequest): Pick<ResponseCreateParamsStreaming, 'text'> {
  return output === undefined
    ? {}
    : { text: { format: { type: 'json_schema', ...namedSchema(output) } } };
}
