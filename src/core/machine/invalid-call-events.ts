/*
 * Finds calls with a name that is not allowed, and applies a decision to each: one at a time, left to right.
 *
 * I1. No part of the turn is in the log before the search is over. If a retry or a failure ends the search, it puts the turn there.
 */
import { defined } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { AssistantMessage } from '../../protocol/message';
import type { InvalidCall } from './invalid-tool-calls';
import {
  adviceToOffer,
  findInvalidCall,
  invalidCallContext,
  invalidName,
  checkAction,
} from './invalid-tool-calls';
import type { Machine } from './machine';
import { preparing } from './machine';
import type { AcceptedTurn } from './run-state';
import type { InvalidToolCallAction, InvalidToolCallContext, ModelTurnOutcome } from './steps';
import type { MachineEvent } from './transitions';
import type { Amendment } from './working-turn';
import { argumentsText, contentOf } from './working-turn';

/** Moves on to the next invalid call. If there is no such call, accepts the turn. */
export function scan(machine: Machine, event: MachineEvent, turn: AcceptedTurn): ModelTurnOutcome {
  const invalid = findInvalidCall(turn, machine.record.transcript.position);
  if (!invalid) {
    machine.move(event, { kind: 'awaiting-advance', turn });
    const repaired = turn.amendments.some(({ kind }) => kind === 'repair-call');
    return { kind: 'continue', hookSuppressed: repaired || turn.skips.length > 0 };
  }
  switch (machine.options.onInvalidToolCall) {
    case 'ignore':
      return scan(machine, event, amended(turn, { kind: 'ignore-call', index: invalid.place }));
    case 'fail':
      throw refuse(machine, event, { turn, invalid });
    default:
      machine.move(event, { kind: 'resolving-tool-calls', turn });
      return { kind: 'needs-resolution', context: contextOf(machine, turn, invalid) };
  }
}

export function resolveInvalidCall(
  machine: Machine,
  action: InvalidToolCallAction,
): ModelTurnOutcome {
  const event = 'resolveInvalidToolCall';
  const { turn, invalid } = parked(machine, event);
  const { invalidToolCallRetries: retriesUsed } = machine.counters;
  const called = { tools: turn.tools, allowed: turn.allowed, name: invalid.call.name };
  const failure = checkAction(action, called, { options: machine.options, retriesUsed });
  if (failure) {
    machine.commit(turn);
    throw machine.fail(event, failure);
  }
  switch (action.kind) {
    case 'repair':
      return scan(
        machine,
        event,
        amended(turn, { kind: 'repair-call', index: invalid.place, name: action.name }),
      );
    case 'skip':
      return scan(machine, event, {
        ...turn,
        skips: [...turn.skips, { index: invalid.place, reason: action.reason }],
      });
    case 'retry':
      machine.commit(turn, [
        { kind: 'answer-calls', answers: [{ index: invalid.index, text: action.feedback }] },
      ]);
      machine.move(event, preparing, { invalidToolCallRetries: retriesUsed + 1 });
      return { kind: 'turn-retried' };
    default:
      throw new LonghaulError(
        'ProtocolError',
        `An invalid tool call cannot be resolved by "${action.kind}".`,
      );
  }
}

export function ignoreInvalidCall(machine: Machine): ModelTurnOutcome {
  const { turn, invalid } = parked(machine, 'ignoreInvalidToolCall');
  const index = invalid.place;
  return scan(machine, 'ignoreInvalidToolCall', amended(turn, { kind: 'ignore-call', index }));
}

/** The invalid call that the run waits on. Every call of this function derives it again. */
export function pendingContext(machine: Machine): InvalidToolCallContext | undefined {
  if (machine.state.kind !== 'resolving-tool-calls') return undefined;
  const { turn, invalid } = parked(machine, 'resolveInvalidToolCall');
  return contextOf(machine, turn, invalid);
}

function parked(
  machine: Machine,
  event: MachineEvent,
): { readonly turn: AcceptedTurn; readonly invalid: InvalidCall } {
  const { turn } = machine.expect(event, 'resolving-tool-calls');
  const invalid = findInvalidCall(turn, machine.record.transcript.position);
  if (!invalid)
    throw new LonghaulError('ProtocolError', `${event}: no invalid tool call is pending.`);
  return { turn, invalid };
}

const amended = (turn: AcceptedTurn, amendment: Amendment): AcceptedTurn => ({
  ...turn,
  amendments: [...turn.amendments, amendment],
});

/** Fails the run, and asks nobody. */
export function refuse(
  machine: Machine,
  event: MachineEvent,
  refused: { readonly turn: AcceptedTurn; readonly invalid: InvalidCall },
): LonghaulError {
  const { turn, invalid } = refused;
  machine.commit(turn);
  return machine.fail(event, invalidName(invalid.call.name, turn, adviceToOffer));
}

function contextOf(
  machine: Machine,
  turn: AcceptedTurn,
  { call }: InvalidCall,
): InvalidToolCallContext {
  const { tools, allowed, event } = turn;
  const called = {
    tools,
    allowed,
    name: call.name,
    callId: call.callId,
    args: argumentsText(call),
  };
  const message: AssistantMessage = {
    role: 'assistant',
    parts: contentOf(machine.working(turn)),
    ...defined({ origin: event.origin }),
  };
  const history = machine.record.transcript.historyWith(message);
  return invalidCallContext(called, machine.options, { history, isStreaming: false });
}
