import type { Json, JsonObject } from '../base';
import { amount, objectOf, type Shape, type Shaped } from './shapes';

/**
 * Data that only the provider understands: signatures, encrypted reasoning, ids of items. It goes back unchanged to the same API, and
 * nobody reads it. Together with the part, it makes the provider's original block again.
 */
export type Sealed = { readonly api: string; readonly model: string; readonly data: Json };

/**
 * Content that a result store keeps, under the SHA-256 of its bytes. `digest` is 64 hexadecimal digits, and `bytes` is the size of the
 * whole content.
 */
export type Stored = { readonly digest: string; readonly bytes: number };

/** `ref` is a provider's own id of a file. `stored` is content in the result store: the worker puts it into each request. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'ref'; readonly ref: string }
  | ({ readonly kind: 'stored' } & Stored);

/** With `stored`, `text` is only the head of the text, and the result store has all of it. */
export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  readonly stored?: Stored;
  readonly sealed?: Sealed;
};
export type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly redacted?: boolean;
  readonly sealed?: Sealed;
};
export type MediaPart = {
  readonly type: 'media';
  readonly mediaType: string;
  readonly source: MediaSource;
  readonly sealed?: Sealed;
};
export type RefusalPart = {
  readonly type: 'refusal';
  readonly text: string;
  readonly sealed?: Sealed;
};
export type OpaquePart = {
  readonly type: 'opaque';
  readonly label: string;
  readonly sealed: Sealed;
};

/**
 * A tool call of the model. If its arguments are not a JSON object, `args` is null, `rawArgs` has their text, and `argsError` the reason.
 */
export type ToolCallPart = {
  readonly type: 'tool_call';
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject | null;
  readonly rawArgs?: string;
  readonly argsError?: string;
  readonly sealed?: Sealed;
};

/** A text with `stored` is the head that the model sees, with a note. The model reads the rest with `read_result`. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string; readonly stored?: Stored }
  | { readonly type: 'json'; readonly value: Json }
  | { readonly type: 'media'; readonly mediaType: string; readonly source: MediaSource };

/** The result of a tool call. `turn` and `index` name the call. A result in a message does not have them. */
export type ToolResult = {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: readonly ToolContent[];
  readonly turn?: number;
  readonly index?: number;
};

/** A result without the call. */
export type ToolOutput = Pick<ToolResult, 'isError' | 'content'>;

export type AssistantPart =
  TextPart | ReasoningPart | MediaPart | RefusalPart | OpaquePart | ToolCallPart;

/** The provider, API and model that wrote an assistant message. Its sealed data goes back only to the same API. */
export type Origin = { readonly provider: string; readonly api: string; readonly model: string };

/** A message of a conversation. */
export type Message =
  | { readonly role: 'system'; readonly parts: readonly TextPart[] }
  | { readonly role: 'user'; readonly parts: readonly (TextPart | MediaPart)[] }
  | {
      readonly role: 'assistant';
      readonly parts: readonly AssistantPart[];
      readonly origin?: Origin;
    }
  /** All results of one assistant message, in the order of its calls. */
  | { readonly role: 'tool'; readonly parts: readonly ToolResult[] };

/** The input of a run: text, or parts of text and media. */
export type UserInput = string | readonly (TextPart | MediaPart)[];

export type UserMessage = Extract<Message, { role: 'user' }>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;
export type ToolMessage = Extract<Message, { role: 'tool' }>;

const tokens: Shaped<number | null> = { anyOf: [amount, { const: null }] };

export const usageShape = objectOf({
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
});

/** Tokens. `inputTokens` includes the cache, `outputTokens` includes reasoning, and null means "not reported". */
export type Usage = Shape<typeof usageShape>;

/** Why a turn ended. `pause`: the provider stopped while its own tools worked. It goes on when it gets its turn back. */
export type FinishReason =
  'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause' | 'other';

export type ResponseIds = {
  readonly message?: string;
  readonly response?: string;
  readonly request?: string;
};

export type CompletionCall = {
  /** The number of the call in the run, from 0. Abandoned streamed attempts count. */
  readonly callIndex: number;
  readonly turn: number;
  readonly usage: Usage;
  readonly finishReason?: FinishReason;
  readonly ids?: ResponseIds;
};
