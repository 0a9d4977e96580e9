/*
 * Carries out what `turn-plan.ts` decided about an accepted turn, and completes batches of tool calls.
 *
 * A1. An iteration counts when its batch is complete. It does not matter who answered last.
 */
import { defined } from '../../base';
import type { NewEntry, ToolResultEvent } from '../../protocol/log';
import type { AssistantPart } from '../../protocol/message';
import { decisionEvent, type Machine, preparing } from './machine';
import type { AcceptedTurn, CallSlot } from './run-state';
import { isRound, resultOf, type ToolBatch } from './tool-batch';
import type { MachineEvent } from './transitions';
import type { PlanInput, TurnPlan } from './turn-plan';
import { contentOf, isEmptyTurn } from './working-turn';

/** Moves a run on with an accepted turn. Throws if the turn makes the run fail. */
export function advance(
  machine: Machine,
  turn: AcceptedTurn,
  planOf: (input: PlanInput) => TurnPlan,
): void {
  const { options, counters, maxTurns } = machine;
  const plan = planOf({ turn, parts: machine.working(turn), options, counters, maxTurns });
  switch (plan.kind) {
    case 'fail':
      if (plan.keep) machine.commit(turn);
      throw machine.fail('nextStep', plan.failure);
    case 'complete':
      return complete(machine, turn, plan);
    case 'run-calls':
      return runCalls(machine, turn, plan);
    case 'ask':
      machine.commit(turn);
      return machine.move('nextStep', { kind: 'awaiting-input', question: plan.question });
    case 'go-on':
      machine.commit(turn, [{ kind: 'go-on' }]);
      return machine.move('nextStep', preparing);
    case 'answer-calls':
      machine.commit(turn, [{ kind: 'answer-calls', answers: plan.answers }]);
      return machine.move('nextStep', preparing, outputTry(machine, plan.outputRetry));
    case 'feedback':
      machine.commit(turn);
      machine.record.append(decisionEvent({ kind: 'feedback', text: plan.text }));
      return machine.move('nextStep', preparing, outputTry(machine, plan.outputRetry));
  }
}

/** The batch of a run that executes tools. */
export const batchOf = (machine: Machine, slots: readonly CallSlot[]): ToolBatch => ({
  turn: machine.counters.turn,
  slots,
  calls: machine.record.transcript.openCalls,
});

/** Takes results. `addressResults` has checked their places. The last result completes the batch. */
export function takeResults(
  machine: Machine,
  event: MachineEvent,
  taken: {
    readonly slots: readonly CallSlot[];
    readonly results: readonly NewEntry<ToolResultEvent>[];
  },
): void {
  machine.record.append(...taken.results);
  const { slots } = taken;
  const { iterations } = machine.counters;
  if (machine.record.transcript.hasOpenCalls)
    return machine.move(event, { kind: 'executing-tools', slots });
  machine.move(event, preparing, { iterations: iterations + (isRound(slots) ? 1 : 0) });
}

const outputTry = (machine: Machine, spent: boolean): { outputRetries: number } => ({
  outputRetries: machine.counters.outputRetries + (spent ? 1 : 0),
});

function runCalls(
  machine: Machine,
  turn: AcceptedTurn,
  plan: Extract<TurnPlan, { kind: 'run-calls' }>,
): void {
  const { slots, malformedInARow } = plan;
  machine.commit(turn);
  const ranTools = slots.some((slot) => slot !== 'malformed' && slot !== 'question');
  machine.move(
    'nextStep',
    { kind: 'executing-tools', slots },
    { malformedInARow, ...(ranTools && { outputRetries: 0 }) },
  );
  const { calls, turn: number } = batchOf(machine, slots);
  const results = plan.refused.flatMap(({ index, text }) => {
    const call = calls[index]?.call;
    return call ? [resultOf(call, { turn: number, index }, { value: text, isError: true })] : [];
  });
  takeResults(machine, 'nextStep', { slots, results });
}

function complete(
  machine: Machine,
  turn: AcceptedTurn,
  plan: Extract<TurnPlan, { kind: 'complete' }>,
): void {
  const { reason: completionReason, structured, text } = plan;
  const content: AssistantPart[] =
    text === undefined ? contentOf(machine.working(turn)) : [{ type: 'text', text }];
  const empty = isEmptyTurn(content);
  if (!empty && text === undefined) machine.commit(turn);
  if (!empty && text !== undefined)
    machine.record.append(turn.event, decisionEvent({ kind: 'replace-turn', text }));
  machine.move('nextStep', {
    kind: 'done',
    completionReason,
    ...defined({ structured }),
    ...(empty && { content }),
  });
}
