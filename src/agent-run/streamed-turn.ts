import type { JsonObject } from '../base/json';
import { isJsonObject } from '../base/json';
import type { AssistantPart, ReasoningPart, ToolCallPart } from '../protocol/message';
import type { CompletionCallHead } from '../core/machine/steps';

/** What a provider's stream says, in our terms; `key` tells the blocks of one turn apart and never enters history. */
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

export type AssemblerOutput =
  | { readonly kind: 'forward'; readonly event: StreamEvent }
  | { readonly kind: 'invalid-tool-call'; readonly invalid: StreamedInvalidToolCall }
  | { readonly kind: 'completed'; readonly head: CompletionCallHead };

/** A call whose name was refused while it was still coming in; `argsText` is what came of its arguments. */
export type StreamedInvalidToolCall = {
  readonly key: string;
  readonly callId: string;
  readonly name: string;
  readonly argsText: string;
};

/** What a streamed turn holds so far. A driver that knows the turn's names adds them, for contexts and repairs. */
export type PartialTurn = {
  readonly content: readonly AssistantPart[];
  readonly tools?: readonly string[];
  readonly allowed?: readonly string[];
};

export type StreamedResolution =
  | { readonly kind: 'repaired'; readonly name: string }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'abandoned' };

/** A call from its streamed text: no arguments are none, what had not come in whole is malformed. */
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
