/*
 * Decisions of people: answers to questions, and approvals. Each one names its input by id, so a late one has no effect.
 */
import { LonghaulError } from '../../protocol/errors';
import { type JsonObject, plainJson } from '../../base/json';
import { batchOf, takeResults } from './advance';
import { decisionEvent, type Machine, preparing } from './machine';
import { markedInput } from './questions';
import type { CallSlot } from './run-state';
import { checkJson } from '../session';
import type { MachineInput } from './steps';
import { resultOf, type WaitingCall, waitingCalls } from './tool-batch';
import { textMessage } from '../transcript/transcript';

/** All inputs that wait for a person now, in call order. */
export function pendingInputs(machine: Machine): MachineInput[] {
  const { state, counters } = machine;
  if (state.kind === 'awaiting-input') return [markedInput(counters.turn, state.question)];
  if (state.kind !== 'executing-tools') return [];
  return waitingCalls(batchOf(machine, state.slots)).map(({ input }) => input);
}

export function answerQuestion(
  machine: Machine,
  { inputId, text }: { readonly inputId: string; readonly text: string },
): void {
  const state = machine.expect('answer', 'awaiting-input', 'executing-tools');
  checkText(inputId, text);
  if (state.kind === 'executing-tools') {
    const waiting = findWaiting(machine, state.slots, { inputId, kind: 'question' });
    return resultInstead(machine, 'answer', { slots: state.slots, waiting, text });
  }
  const [input] = pendingInputs(machine);
  if (input?.inputId !== inputId) throw unknownInput(inputId, pendingInputs(machine));
  machine.record.append({ kind: 'user', message: textMessage(text) });
  machine.move('answer', preparing);
}

export function approveCall(machine: Machine, inputId: string, args: JsonObject | undefined): void {
  const { slots } = machine.expect('approve', 'executing-tools');
  const { index } = findWaiting(machine, slots, { inputId, kind: 'approval' });
  if (args !== undefined) {
    checkEditedArguments(inputId, args);
    const { turn } = machine.counters;
    machine.record.append(decisionEvent({ kind: 'edit-call', turn, index, args: plainJson(args) }));
  }
  const approved = slots.map((slot, at) => (at === index ? 'execute' : slot));
  machine.move('approve', { kind: 'executing-tools', slots: approved });
}

export function rejectCall(machine: Machine, inputId: string, reason: string): void {
  const { slots } = machine.expect('reject', 'executing-tools');
  checkText(inputId, reason);
  const waiting = findWaiting(machine, slots, { inputId, kind: 'approval' });
  resultInstead(machine, 'reject', {
    slots,
    waiting,
    text: reason || 'A person rejected this call.',
  });
}

function resultInstead(
  machine: Machine,
  event: 'answer' | 'reject',
  { slots, waiting, text }: { slots: readonly CallSlot[]; waiting: WaitingCall; text: string },
): void {
  const { turn, calls } = batchOf(machine, slots);
  const { index } = waiting;
  const call = calls[index]?.call;
  const isError = event === 'reject';
  const results = call ? [resultOf(call, { turn, index }, { text, isError })] : [];
  takeResults(machine, event, { slots, results });
}

function findWaiting(
  machine: Machine,
  slots: readonly CallSlot[],
  wanted: { readonly inputId: string; readonly kind: MachineInput['kind'] },
): WaitingCall {
  const waiting = waitingCalls(batchOf(machine, slots)).filter(
    ({ input }) => input.kind === wanted.kind,
  );
  const found = waiting.find(({ input }) => input.inputId === wanted.inputId);
  if (!found)
    throw unknownInput(
      wanted.inputId,
      waiting.map(({ input }) => input),
    );
  return found;
}

function checkText(inputId: string, text: unknown): void {
  if (typeof text === 'string') return;
  throw new LonghaulError('ProtocolError', `What was given for "${inputId}" is not a text.`);
}

function checkEditedArguments(inputId: string, args: unknown): void {
  const violation = checkJson(args, 'args');
  if (violation)
    throw new LonghaulError(
      'ProtocolError',
      `The arguments for "${inputId}" cannot be used: ${violation.path}: ${violation.problem}.`,
    );
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new LonghaulError(
      'ProtocolError',
      `The arguments for "${inputId}" are not a JSON object.`,
    );
}

function unknownInput(inputId: string, waiting: readonly MachineInput[]): LonghaulError {
  const ids = waiting.map((input) => `"${input.inputId}"`).join(', ') || 'nothing';
  return new LonghaulError(
    'ProtocolError',
    `Nothing of this kind waits under "${inputId}"; waiting: ${ids}.`,
  );
}
