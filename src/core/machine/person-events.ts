/*
 * Takes answers to questions, approvals, and results that come from elsewhere. Each one names its input by id, so a late one has no effect.
 */
import { LonghaulError } from '../../protocol/errors';
import { type Json, type JsonObject, plainJson } from '../../base';
import { batchOf, takeResults } from './advance';
import { decisionEvent, type Machine, preparing } from './machine';
import { deferredInputId, markedInput } from './questions';
import type { CallSlot, MachineState } from './run-state';
import { checkJson } from '../session';
import type { MachineInput } from './steps';
import { pendingCalls, resultOf, type WaitingCall, waitingCalls } from './tool-batch';
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
    const answer = { value: text, isError: false };
    return resultInstead(machine, 'answer', { slots: state.slots, waiting, answer });
  }
  const [input] = pendingInputs(machine);
  if (input?.inputId !== inputId) throw unknownInput(inputId, pendingInputs(machine));
  machine.record.append({ kind: 'user', message: textMessage(text) });
  machine.move('answer', preparing);
}

export function approveCall(machine: Machine, inputId: string, args: JsonObject | undefined): void {
  const { slots } = machine.expect('approve', 'executing-tools');
  const { index } = findWaiting(machine, slots, { inputId, kind: 'approval' });
  if (args !== undefined) appendEdit(machine, { inputId, index, args });
  machine.move('approve', withSlot(slots, index, 'execute'));
}

/** Changes the arguments of a call that waits for approval. The call goes on waiting, under a new input id, which is returned. */
export function editCall(machine: Machine, inputId: string, args: JsonObject): string {
  const { slots } = machine.expect('edit', 'executing-tools');
  const { index } = findWaiting(machine, slots, { inputId, kind: 'approval' });
  appendEdit(machine, { inputId, index, args });
  machine.move('edit', { kind: 'executing-tools', slots });
  const waiting = waitingCalls(batchOf(machine, slots));
  return waiting.find((call) => call.index === index)?.input.inputId ?? inputId;
}

/** The driver has begun a call that gets its result from elsewhere. Returns the id of the input that takes the result. */
export function deferCall(
  machine: Machine,
  { turn, index }: { readonly turn: number; readonly index: number },
): string {
  const { slots } = machine.expect('defer', 'executing-tools');
  const calls = pendingCalls(batchOf(machine, slots));
  if (!calls.some((call) => call.turn === turn && call.index === index && call.kind === 'execute'))
    throw new LonghaulError('ProtocolError', `No call ${index} of turn ${turn} waits to run.`);
  machine.move('defer', withSlot(slots, index, 'deferred'));
  return deferredInputId({ turn, index });
}

/** Takes a result that came from elsewhere, as it was given. */
export function completeCall(
  machine: Machine,
  inputId: string,
  answer: { readonly value: Json; readonly isError: boolean },
): void {
  const { slots } = machine.expect('complete', 'executing-tools');
  checkValue(inputId, answer.value);
  const waiting = findWaiting(machine, slots, { inputId, kind: 'tool' });
  resultInstead(machine, 'complete', { slots, waiting, answer });
}

const withSlot = (slots: readonly CallSlot[], index: number, slot: CallSlot): MachineState => ({
  kind: 'executing-tools',
  slots: slots.map((other, at) => (at === index ? slot : other)),
});

function appendEdit(
  machine: Machine,
  { inputId, index, args }: { inputId: string; index: number; args: JsonObject },
): void {
  checkEditedArguments(inputId, args);
  const { turn } = machine.counters;
  machine.record.append(decisionEvent({ kind: 'edit-call', turn, index, args: plainJson(args) }));
}

export function rejectCall(machine: Machine, inputId: string, reason: string): void {
  const { slots } = machine.expect('reject', 'executing-tools');
  checkText(inputId, reason);
  const waiting = findWaiting(machine, slots, { inputId, kind: 'approval' });
  resultInstead(machine, 'reject', {
    slots,
    waiting,
    answer: { value: reason || 'A person rejected this call.', isError: true },
    isRejected: true,
  });
}

function resultInstead(
  machine: Machine,
  event: 'answer' | 'reject' | 'complete',
  {
    slots,
    waiting,
    answer,
    isRejected = false,
  }: {
    slots: readonly CallSlot[];
    waiting: WaitingCall;
    answer: { readonly value: Json; readonly isError: boolean };
    isRejected?: boolean;
  },
): void {
  const { turn, calls } = batchOf(machine, slots);
  const { index } = waiting;
  const { call, edits = 0 } = calls[index] ?? {};
  const rejected = isRejected && edits > 0 && { rejected: true as const };
  const results = call ? [{ ...resultOf(call, { turn, index }, answer), ...rejected }] : [];
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

function checkValue(inputId: string, value: unknown): void {
  const violation = checkJson(value, 'value');
  if (violation)
    throw new LonghaulError(
      'ProtocolError',
      `The result for "${inputId}" cannot be used: ${violation.path}: ${violation.problem}.`,
    );
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
