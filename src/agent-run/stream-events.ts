/*
 * Streamed turns. Their usage is recorded apart from the turn, because a stream reports it last, even if the run gave the turn up.
 *
 * S1. One record per attempt. The run refuses a turn without recorded usage.
 * S2. Retry and skip give the turn up: its content so far and the answers to it enter history, and a new model call follows.
 */
import { LonghaulError } from '../protocol';
import { plainJson } from '../base';
import { emptyUsage } from '../core/budget/usage';
import { refuse, scan } from '../core/machine/invalid-call-events';
import {
  checkAction,
  findInvalidCall,
  invalidCallContext,
  type TurnNames,
} from '../core/machine/invalid-tool-calls';
import { type Machine, preparing } from '../core/machine/machine';
import { allowedNames, sortedNames, type StoredOptions } from '../core/machine/options';
import type { AcceptedTurn } from '../core/machine/run-state';
import type { InvalidToolCallAction, InvalidToolCallContext } from '../core/machine/steps';
import {
  type PartialTurn,
  type StreamedInvalidToolCall,
  type StreamedResolution,
  toCallPart,
} from './streamed-turn';
import { callsOf, contentOf } from '../core/machine/working-turn';

const event = 'resolveStreamedInvalidToolCall';

/** Marks the attempt as billed. */
export function markRecorded(machine: Machine): void {
  const state = machine.expect('recordStreamedCompletionCall', 'awaiting-model', 'preparing');
  const open = state.kind === 'preparing' ? state.recordingOwed : !state.recorded;
  if (!open)
    throw new LonghaulError(
      'ProtocolError',
      'There is no streamed model call to record, or its usage was recorded already.',
    );
  machine.move(
    'recordStreamedCompletionCall',
    state.kind === 'preparing' ? preparing : { kind: 'awaiting-model', recorded: true },
  );
}

/** Takes the turn without a check of names, because the assembler checked them while the turn came in. */
export function acceptStreamed(machine: Machine, turn: AcceptedTurn): void {
  const state = machine.expect('streamedTurn', 'awaiting-model');
  if (!state.recorded)
    throw new LonghaulError(
      'ProtocolError',
      'The usage of this streamed turn was not recorded; call recordStreamedCompletionCall first.',
    );
  const invalid = findInvalidCall(turn, machine.record.transcript.position);
  if (invalid && machine.options.onInvalidToolCall === undefined)
    throw refuse(machine, 'streamedTurn', { turn, invalid });
  scan(machine, 'streamedTurn', turn);
}

export function streamedContext(
  machine: Machine,
  partial: PartialTurn,
  invalid: StreamedInvalidToolCall,
): InvalidToolCallContext {
  const names = partialNames(machine.options, partial);
  const parts = contentOf(machine.working(abandonedTurn(partial, invalid, names)));
  const callId = callsOf(parts).at(-1)?.callId ?? invalid.callId;
  const history = machine.record.transcript.historyWith({ role: 'assistant', parts });
  return invalidCallContext(
    { ...names, name: invalid.name, callId, args: invalid.argsText },
    machine.options,
    { history, isStreaming: true },
  );
}

export function resolveStreamed(
  machine: Machine,
  streamed: { readonly partial: PartialTurn; readonly invalid: StreamedInvalidToolCall },
  action: InvalidToolCallAction,
): StreamedResolution {
  const { recorded } = machine.expect(event, 'awaiting-model');
  const { options, counters } = machine;
  if (options.onInvalidToolCall === 'ignore') return { kind: 'ignored' };
  const decided = options.onInvalidToolCall === 'fail' ? ({ kind: 'fail' } as const) : action;
  const names = partialNames(options, streamed.partial);
  const turn = abandonedTurn(streamed.partial, streamed.invalid, names);
  const { invalidToolCallRetries: retriesUsed } = counters;
  const called = { ...names, name: streamed.invalid.name };
  const failure = checkAction(decided, called, { options, retriesUsed });
  if (failure) {
    machine.commit(turn);
    throw machine.fail(event, failure);
  }
  if (decided.kind === 'repair') return { kind: 'repaired', name: decided.name };
  const text = abandonText(decided);
  const index = callsOf(turn.event.content).length - 1;
  machine.commit(turn, [{ kind: 'answer-calls', answers: [{ index, text }] }]);
  machine.move(
    event,
    { kind: 'preparing', recordingOwed: !recorded },
    decided.kind === 'retry' ? { invalidToolCallRetries: retriesUsed + 1 } : {},
  );
  return { kind: 'abandoned' };
}

function abandonText(action: InvalidToolCallAction): string {
  if (action.kind === 'retry') return action.feedback;
  if (action.kind === 'skip') return action.reason;
  throw new LonghaulError(
    'ProtocolError',
    `An invalid tool call cannot be resolved by "${action.kind}".`,
  );
}

/** The names of a streamed turn. If neither the driver nor the tool choice gives them, any other name may be right. */
function partialNames(
  options: StoredOptions,
  partial: PartialTurn,
): TurnNames & { readonly unknown: boolean } {
  const tools = sortedNames(partial.tools ?? []);
  const allowed = sortedNames(partial.allowed ?? allowedNames(options, tools));
  const { toolChoice = 'auto' } = options;
  const chosen = toolChoice !== 'auto' && toolChoice !== 'required';
  return { tools, allowed, unknown: !chosen && !partial.allowed && !partial.tools };
}

/** The turn that the run gives up: its content so far, and the invalid call. */
function abandonedTurn(
  partial: PartialTurn,
  invalid: StreamedInvalidToolCall,
  names: TurnNames,
): AcceptedTurn {
  const content = [...partial.content, toCallPart(invalid)];
  const event = plainJson({ kind: 'model-turn', content, usage: emptyUsage } as const);
  const { tools, allowed } = names;
  return { event, tools, allowed, amendments: [], skips: [] };
}
