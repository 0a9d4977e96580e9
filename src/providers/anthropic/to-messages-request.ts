import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  OutputConfig,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { defined, type JsonObject } from '../../base';
import { mergeExtra } from '../wire';
import type { ModelRequest, RequestToolChoice } from '../provider';
import { textBlocks } from './blocks';
import { toMessages, type WireMessage } from './to-messages';
import type { ModelSettings } from '../../protocol';

/** How many blocks back from a marker the API looks for an earlier cache entry. */
const lookback = 20;

/** The tokens of an effort, for models that only take a number of tokens. */
const budgets: Readonly<Record<Effort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
};

/** The API wants at least this many, and more tokens for the answer. */
const smallestBudget = 1024;

/** The API wants a limit. Every current model takes this one. A high limit costs nothing, but a cut answer wastes a whole call. */
const defaultMaxTokens = 16_384;

/**
 * The whole body of one call. Equal requests give equal bytes. `messages` come last, so the body of a longer conversation starts with the
 * bytes of the shorter one.
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
    ...defined({ cache_control: marker }),
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
    ...defined({ thinking }),
    ...outputConfig(request, effort),
    ...defined({ temperature }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop_sequences: [...stop] }),
  };
}

/** The API refuses thinking in a call that must use a tool. The calls after it think again. */
function thinkingOf({ settings, model, tools, toolChoice }: ModelRequest): Thinking {
  const { thinking, ...rest } = toThinking(settings, model);
  const isForced = tools.length > 0 && ['any', 'tool'].includes(toToolChoice(toolChoice).type);
  if (thinking === undefined || (isForced && thinking.type !== 'disabled')) return rest;
  return { thinking, ...rest };
}

/** `cache_control` in `extra` becomes every marker, so a longer ttl applies to all of them. Null turns caching off. */
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

/** Not every model takes system messages in the history, so they join the instructions in the top-level field. */
function systemTexts({ instructions, messages }: ModelRequest): string[] {
  const history = messages.flatMap((message) =>
    message.role === 'system' ? message.parts.map((part) => part.text) : [],
  );
  return [...(instructions === undefined ? [] : [instructions]), ...history];
}

function toTool({ name, description, inputSchema }: ModelRequest['tools'][number]): Tool {
  return { name, description, input_schema: inputSchema as Tool.InputSchema };
}

/**
 * Several allowed tools become `any`, because leaving out the others would change the cached prefix. The run refuses a call to the others.
 */
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
    ...defined({ effort }),
    ...(output === undefined ? {} : { format: { type: 'json_schema', schema: output.schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

type Effort = 'minimal' | 'low' | 'medium' | 'high';

type Thinking = {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: NonNullable<OutputConfig['effort']>;
};

/**
 * A budget goes as it is. Effort becomes adaptive thinking. Models up to 4.5 refuse that: for them effort becomes a budget that leaves room
 * for an answer.
 */
export function toThinking(settings: ModelSettings, model: string): Thinking {
  const { effort, budgetTokens } = settings.reasoning ?? {};
  if (budgetTokens !== undefined) return withBudget(budgetTokens);
  if (effort === undefined) return {};
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (!onlyHasBudgets(model)) {
    return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort };
  }
  const room = (settings.maxOutputTokens ?? Infinity) - smallestBudget;
  const budget = Math.min(budgets[effort], room);
  return budget < smallestBudget ? {} : withBudget(budget);
}

function withBudget(budget: number): Thinking {
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function onlyHasBudgets(model: string): boolean {
  return /claude-(?:[0-3]\b|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@]\d{8}|$))/.test(model);
}

type Marked = {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly Tool[];
  readonly messages: readonly WireMessage[];
};

/**
 * The cache covers tools, then system, then messages. One marker stays at the end of tools and system. The other is the top-level
 * `cache_control`, which the API applies to the last block. So a longer conversation has the same prefix as the shorter one, byte for byte.
 * A turn with more blocks than the API looks back gets a third marker, where the request before it ended. Without it the whole history
 * would be paid again. Markers are not part of the hash.
 */
function withCacheMarkers(request: Marked, marker: CacheControlEphemeral): Marked {
  const { system, tools, messages } = request;
  return {
    system: markLast(system, marker),
    tools: system.length > 0 ? tools : markLast(tools, marker),
    messages: markPreviousEnd(messages, marker),
  };
}

function markPreviousEnd(
  messages: readonly WireMessage[],
  marker: CacheControlEphemeral,
): readonly WireMessage[] {
  const added = messages.slice(-2);
  const blocks = added.reduce((count, message) => count + message.content.length, 0);
  const previous = messages.at(-3);
  if (previous?.role !== 'user' || blocks < lookback) return messages;
  const content = markLast(previous.content, marker);
  return [...messages.slice(0, -3), { ...previous, content: [...content] }, ...added];
}

function markLast<Block extends TextBlockParam | Tool | ContentBlockParam>(
  blocks: readonly Block[],
  marker: CacheControlEphemeral,
): readonly Block[] {
  const last = blocks.at(-1);
  return last === undefined ? blocks : [...blocks.slice(0, -1), { ...last, cache_control: marker }];
}
