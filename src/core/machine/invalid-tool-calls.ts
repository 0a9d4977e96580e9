import type { ToolCallPart } from '../../protocol/message';
import type { MachineFailure } from '../failure';
import type { StoredOptions } from './options';
import { askUserTool } from '../../protocol/names';
import type { AcceptedTurn } from './run-state';
import type { InvalidToolCallAction, InvalidToolCallContext } from './steps';
import { oneLine } from '../../base';
import type { WorkingPart } from './working-turn';
import { amend, workingParts } from './working-turn';

/** The names that a turn is checked by, sorted. */
export type TurnNames = { readonly tools: readonly string[]; readonly allowed: readonly string[] };

/** A call of a tool that is not allowed. `place` counts all calls of the provider. `index` counts the calls that are left. */
export type InvalidCall = {
  readonly call: ToolCallPart;
  readonly place: number;
  readonly index: number;
};

/** The turn after its repairs and without its ignored calls. */
export function workingTurn(turn: AcceptedTurn, position: number): readonly WorkingPart[] {
  return turn.amendments.reduce(amend, workingParts(turn.event.content, position));
}

/** The first call from the left that nobody has decided about. Undefined if a callback took over the turn. */
export function findInvalidCall(turn: AcceptedTurn, position: number): InvalidCall | undefined {
  const { checks } = turn.event;
  if (checks?.abort !== undefined || checks?.override !== undefined) return undefined;
  const allowed = new Set(turn.allowed);
  const skipped = new Set(turn.skips.map(({ index }) => index));
  let index = -1;
  for (const { part, call: place } of workingTurn(turn, position)) {
    if (part.type !== 'tool_call' || place === undefined) continue;
    index += 1;
    if (!allowed.has(part.name) && !skipped.has(place)) return { call: part, place, index };
  }
  return undefined;
}

/** The reason to refuse an action, or undefined. Whole and streamed turns share this check, so they cannot drift apart. */
export function checkAction(
  action: InvalidToolCallAction,
  called: TurnNames & { readonly name: string; readonly unknown?: boolean },
  run: { readonly options: StoredOptions; readonly retriesUsed: number },
): MachineFailure | undefined {
  const { name } = called;
  switch (action.kind) {
    case 'fail':
      return invalidName(name, called, adviceToOffer);
    case 'stop':
      return { kind: 'cancelled', reason: action.reason };
    case 'retry': {
      const budget = run.options.maxInvalidToolCallRetries ?? 0;
      if (run.retriesUsed < budget) return undefined;
      return invalidName(name, called, `All ${budget} retries of invalid calls are used.`);
    }
    case 'repair':
      if (called.allowed.includes(action.name)) return undefined;
      if (called.unknown && action.name !== name) return undefined;
      return invalidName(
        action.name,
        called,
        `It was to replace "${name}": repair to an allowed name.`,
      );
    case 'skip':
      if (run.options.toolChoice !== 'none') return undefined;
      return invalidName(name, called, 'Under the tool choice "none" a call cannot be skipped.');
  }
}

export function invalidCallContext(
  called: TurnNames & { readonly name: string; readonly callId: string; readonly args: string },
  options: StoredOptions,
  rest: Pick<InvalidToolCallContext, 'history' | 'isStreaming'>,
): InvalidToolCallContext {
  const { name, callId, args, tools, allowed } = called;
  const known =
    tools.includes(name) ||
    name === options.output?.tool ||
    (options.askUser === 'tool' && name === askUserTool.name);
  return {
    toolName: name,
    callId,
    args,
    executable: tools,
    allowed,
    toolChoice: options.toolChoice ?? 'auto',
    ...rest,
    reason: known ? 'disallowed-by-tool-choice' : 'unknown-tool',
  };
}

export const adviceToOffer = 'Offer the tool, or handle the call in onInvalidToolCall.';

export function invalidName(
  toolName: string,
  { tools, allowed }: TurnNames,
  advice: string,
): MachineFailure {
  const isSame = allowed.length === tools.length && allowed.every((name) => tools.includes(name));
  const executable = isSame ? '' : `; executable: ${nameList(tools)}`;
  const message =
    `The tool "${oneLine(toolName, 100)}" is not allowed in this turn; ` +
    `allowed: ${nameList(allowed)}${executable}. ${advice}`;
  return { kind: 'invalid-tool-call', message, toolName, executable: tools, allowed };
}

/** Lists names, cut short, because a failure has little room for its message. */
function nameList(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => oneLine(name, 64));
  const more = names.length > shown.length ? [`and ${names.length - shown.length} more`] : [];
  return [...shown, ...more].join(', ') || 'none';
}
