import { isJsonObject, type JsonObject } from '../base';
import type { AssistantPart, ReasoningPart, ToolCallPart } from '../protocol';
import type { CompletionCallHead } from '../core/machine/steps';

/** An event of a provider's stream. `key` names a block of the turn, and never enters history. */
export type StreamEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly key: string; readonly delta: string }
  | { readonly type: 'reasoning-done'; readonly key: string; readonly part: ReasoningPart }
  | ToolCallDelta
  | { readonly type: 'tool-call'; readonly key: string; readonly call: ToolCallPart }
  | { readonly type: 'finish'; readonly head: CompletionCallHead };

export type ToolCallDelta = {
  readonly type: 'tool-call-delta';
  readonly key: string;
  readonly callId?: string;
  readonly name?: string;
  readonly argsDelta?: string;
};

/** What to do with an event: show it, decide about an invalid call, or record the usage. */
export type AssemblerOutput =
  | { readonly kind: 'forward'; readonly event: StreamEvent }
  | { readonly kind: 'invalid-tool-call'; readonly invalid: StreamedInvalidToolCall }
  | { readonly kind: 'completed'; readonly head: CompletionCallHead };

/** A call of a tool that is not allowed, found while it was coming in. `argsText` is the part of its arguments so far. */
export type StreamedInvalidToolCall = {
  readonly key: string;
  readonly callId: string;
  readonly name: string;
  readonly argsText: string;
};

/** A streamed turn so far. Add the names of its tools, so that the run can judge a repair. */
export type PartialTurn = {
  readonly content: readonly AssistantPart[];
  readonly tools?: readonly string[];
  readonly allowed?: readonly string[];
};

/** The decision about an invalid call. After `abandoned`, read the stream to its end for the usage. */
export type StreamedResolution =
  | { readonly kind: 'repaired'; readonly name: string }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'abandoned' };

/** Makes a call of its streamed text. No text means no arguments; incomplete text makes a malformed call. */
export function toCallPart({
  callId,
  name,
  argsText,
}: Omit<StreamedInvalidToolCall, 'key'>): ToolCallPart {
  const args = argsText === '' ? {} : parseArguments(argsText);
  const problem = { rawArgs: argsText, argsError: 'the arguments are not a JSON object' };
  return { type: 'tool_call', callId, name, args, ...(args === null && problem) };
}

function parseArguments(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
