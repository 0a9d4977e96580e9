import type { JsonObject } from '../../base/json';
import { isJsonObject } from '../../base/json';
import type { AssistantPart, ReasoningPart, ToolCallPart } from '../../protocol/message';
import type { TurnNames } from './invalid-tool-calls';
import type { StoredOptions } from './options';
import { allowedNames, sortedNames } from './options';
import { plainJson } from '../../base/plain-json';
import type { AcceptedTurn } from './run-state';
import type { CompletionCallHead } from './steps';
import { emptyUsage } from '../budget/usage';

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

/** The names of a streamed turn. Where neither the driver nor the tool choice tells them, any other name may be right. */
export function partialNames(
  options: StoredOptions,
  partial: PartialTurn,
): TurnNames & { readonly unknown: boolean } {
  const tools = sortedNames(partial.tools ?? []);
  const allowed = sortedNames(partial.allowed ?? allowedNames(options, tools));
  const { toolChoice = 'auto' } = options;
  const chosen = toolChoice !== 'auto' && toolChoice !== 'required';
  return { tools, allowed, unknown: !chosen && !partial.allowed && !partial.tools };
}

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

/** The turn that is given up: what came in, and the invalid call. */
export function abandonedTurn(
  partial: PartialTurn,
  invalid: StreamedInvalidToolCall,
  names: TurnNames,
): AcceptedTurn {
  const content = [...partial.content, toCallPart(invalid)];
  const event = plainJson({ kind: 'model-turn', content, usage: emptyUsage } as const);
  const { tools, allowed } = names;
  return { event, tools, allowed, amendments: [], skips: [] };
}

function parseArguments(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
