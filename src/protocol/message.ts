import type { Json, JsonObject } from '../base/json';

/**
 * Provider baggage (signatures, encrypted reasoning, item ids, phase): echoed verbatim to the same api, never read.
 * A part reconstructs its provider's original block from itself and this; no raw body is kept beside it.
 */
export type Sealed = { readonly api: string; readonly model: string; readonly data: Json };

export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'ref'; readonly ref: string };

export type TextPart = { readonly type: 'text'; readonly text: string; readonly sealed?: Sealed };
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

/** `args` is null exactly when the model's arguments were not a JSON object; `rawArgs` then holds its text and `argsError` why. */
export type ToolCallPart = {
  readonly type: 'tool_call';
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject | null;
  readonly rawArgs?: string;
  readonly argsError?: string;
  readonly sealed?: Sealed;
};

export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly value: Json }
  | { readonly type: 'media'; readonly mediaType: string; readonly source: MediaSource };

/** `turn` and `index` address the call this answers; they are removed before the result enters a message. */
export type ToolResult = {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: readonly ToolContent[];
  readonly turn?: number;
  readonly index?: number;
};

/** What a call came to, whichever call it was. */
export type ToolOutput = Pick<ToolResult, 'isError' | 'content'>;

export type AssistantPart =
  TextPart | ReasoningPart | MediaPart | RefusalPart | OpaquePart | ToolCallPart;

/** Which provider, wire api and model produced an assistant message: its sealed data goes back to the same api only. */
export type Origin = { readonly provider: string; readonly api: string; readonly model: string };

export type Message =
  | { readonly role: 'system'; readonly parts: readonly TextPart[] }
  | { readonly role: 'user'; readonly parts: readonly (TextPart | MediaPart)[] }
  | {
      readonly role: 'assistant';
      readonly parts: readonly AssistantPart[];
      readonly origin?: Origin;
    }
  /** All results of one assistant turn, in call order. */
  | { readonly role: 'tool'; readonly parts: readonly ToolResult[] };

/** What a user says: text, or parts of text and media. */
export type UserInput = string | readonly (TextPart | MediaPart)[];

export type UserMessage = Extract<Message, { role: 'user' }>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;
export type ToolMessage = Extract<Message, { role: 'tool' }>;

/** `inputTokens` includes the cache, `outputTokens` includes reasoning; null is "not reported". */
export type Usage = {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
};

/** `pause`: the provider stopped in the middle of its own tools' work and goes on when it is given its turn back. */
export type FinishReason =
  'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause' | 'other';

export type ResponseIds = {
  readonly message?: string;
  readonly response?: string;
  readonly request?: string;
};

export type CompletionCall = {
  /** 0-based, over all consumed attempts of the run. */
  readonly callIndex: number;
  readonly turn: number;
  readonly usage: Usage;
  readonly finishReason?: FinishReason;
  readonly ids?: ResponseIds;
};
