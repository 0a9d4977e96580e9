import type {
  CacheControlEphemeral,
  MessageCreateParamsStreaming,
  OutputConfig,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { JsonObject } from '../../base/json';
import { mergeExtra } from '../merge-extra';
import type { ModelRequest, RequestToolChoice } from '../provider';
import { withCacheMarkers } from './cache-control';
import { toThinking, type Thinking } from './thinking';
import { textBlocks } from './to-content-blocks';
import { toMessages } from './to-messages';

/** The API wants a limit. Every current model takes this one; a high limit costs nothing, a cut answer a whole call. */
const defaultMaxTokens = 16_384;

/**
 * The whole body of one call. Equal requests give equal bytes, and `messages` come last: the body of a longer conversation
 * starts with the bytes of the shorter one.
 */
export function toMessagesRequest(
  request: ModelRequest,
  configured?: JsonObject,
): MessageCreateParamsStreaming {
  const extra = mergeExtra(configured ?? {}, request.settings.extra);
  const marker = cacheMarker(configured, request.settings.extra);
  const content = {
    system: systemTexts(request).flatMap(textBlocks),
    tools: request.tools.map(toTool),
    messages: toMessages(request.messages),
  };
  const { system, tools, messages } =
    marker === undefined ? content : withCacheMarkers(content, marker);
  const body = {
    model: request.model,
    ...(tools.length === 0 ? {} : { tools, tool_choice: toToolChoice(request.toolChoice) }),
    ...(system.length === 0 ? {} : { system }),
    ...generation(request),
    ...(marker === undefined ? {} : { cache_control: marker }),
    stream: true,
  };
  const merged = mergeExtra(body as unknown as JsonObject, extra);
  return { ...merged, messages } as unknown as MessageCreateParamsStreaming;
}

function generation(request: ModelRequest): Partial<MessageCreateParamsStreaming> {
  const { maxOutputTokens, temperature, stop } = request.settings;
  const { thinking, effort } = thinkingOf(request);
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  return {
    max_tokens: maxOutputTokens ?? defaultMaxTokens + budget,
    ...(thinking === undefined ? {} : { thinking }),
    ...outputConfig(request, effort),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop_sequences: [...stop] }),
  };
}

/** A call that must use a tool cannot think, too: the API refuses the two together. The calls after it think again. */
function thinkingOf({ settings, model, tools, toolChoice }: ModelRequest): Thinking {
  const { thinking, ...rest } = toThinking(settings, model);
  const isForced = tools.length > 0 && ['any', 'tool'].includes(toToolChoice(toolChoice).type);
  if (thinking === undefined || (isForced && thinking.type !== 'disabled')) return rest;
  return { thinking, ...rest };
}

/** `cache_control` in `extra` is the marker (a longer ttl holds for all of them then); null turns caching off. */
function cacheMarker(
  ...extras: readonly (JsonObject | undefined)[]
): CacheControlEphemeral | undefined {
  const said = extras
    .map((extra) => extra?.['cache_control'])
    .filter((value) => value !== undefined);
  const last = said.at(-1);
  if (last === null) return undefined;
  return last === undefined ? { type: 'ephemeral' } : (last as unknown as CacheControlEphemeral);
}

/** Only the top-level field is taken by every model, so system messages of the history join the instructions there. */
function systemTexts({ instructions, messages }: ModelRequest): string[] {
  const history = messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map((part) => part.text) : [],
  );
  return [...(instructions === undefined ? [] : [instructions]), ...history];
}

function toTool({ name, description, inputSchema }: ModelRequest['tools'][number]): Tool {
  return { name, description, input_schema: inputSchema as Tool.InputSchema };
}

/** Several allowed tools are `any`: leaving the others out would change the cached prefix. The run refuses a call to those. */
function toToolChoice(choice: RequestToolChoice): ToolChoice {
  if (choice === 'auto' || choice === 'none') return { type: choice };
  if (choice === 'required') return { type: 'any' };
  const [name, ...others] = choice.only;
  if (name === undefined) return { type: 'none' };
  return others.length === 0 ? { type: 'tool', name } : { type: 'any' };
}

function outputConfig(
  { output }: ModelRequest,
  effort: Thinking['effort'],
): { output_config?: OutputConfig } {
  const config: OutputConfig = {
    ...(effort === undefined ? {} : { effort }),
    ...(output === undefined ? {} : { format: { type: 'json_schema', schema: output.schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}
