import type { Json } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { NewEntry, ToolResultEvent } from '../../protocol/log';
import type { ToolCallPart, ToolResult } from '../../protocol/message';
import { approvalInput, askedInput, deferredInput } from './questions';
import type { CallSlot } from './run-state';
import type { MachineInput, PendingToolCall } from './steps';
import type { OpenCall } from '../transcript/open-turn';

/** The calls of the current turn, as long as some have no answer. */
export type ToolBatch = {
  readonly turn: number;
  readonly slots: readonly CallSlot[];
  readonly calls: readonly OpenCall[];
};

export type WaitingCall = { readonly index: number; readonly input: MachineInput };

const isRunnable = (slot: CallSlot | undefined): slot is 'execute' | 'malformed' =>
  slot === 'execute' || slot === 'malformed';

/** The open calls that the driver answers, in call order. */
export function pendingCalls({ turn, slots, calls }: ToolBatch): PendingToolCall[] {
  return calls.flatMap(({ call, answered }, index) => {
    const kind = slots[index];
    return !answered && isRunnable(kind) ? [{ turn, index, call, kind }] : [];
  });
}

/** The open calls that wait for a person or for a result from elsewhere, in call order, with their places. */
export function waitingCalls({ turn, slots, calls }: ToolBatch): WaitingCall[] {
  return calls.flatMap(({ call, answered, edits }, index) => {
    if (answered) return [];
    if (slots[index] === 'question') return [{ index, input: askedInput(call, turn, index) }];
    if (slots[index] === 'approval')
      return [{ index, input: approvalInput(call, { turn, index, edits }) }];
    if (slots[index] === 'deferred') return [{ index, input: deferredInput(call, turn, index) }];
    return [];
  });
}

/** True for a round of tools. A turn that only asks is not a round. */
export const isRound = (slots: readonly CallSlot[]): boolean =>
  slots.some((slot) => slot !== 'question');

export const resultOf = (
  call: ToolCallPart,
  address: { readonly turn: number; readonly index: number },
  { value, isError }: { readonly value: Json; readonly isError: boolean },
): ToolResultEvent => ({
  kind: 'tool-result',
  result: {
    type: 'tool_result',
    callId: call.callId,
    name: call.name,
    isError,
    content: [typeof value === 'string' ? { type: 'text', text: value } : { type: 'json', value }],
    ...address,
  },
});

/** Finds the call of each result. If one result has no call, throws and takes no result. */
export function addressResults(
  batch: ToolBatch,
  entries: readonly NewEntry<ToolResultEvent>[],
): NewEntry<ToolResultEvent>[] {
  const taken = new Set<number>();
  return entries.map(({ result, ...entry }) => {
    const index = result.index ?? findByCallId(batch, result.callId);
    checkResult(batch, result, index);
    if (taken.has(index))
      throw new LonghaulError(
        'ProtocolError',
        `Two results answer call ${index} of turn ${batch.turn}.`,
      );
    taken.add(index);
    return { ...entry, result: { ...result, turn: batch.turn, index } };
  });
}

function findByCallId({ calls, turn }: ToolBatch, callId: string): number {
  const found = calls.flatMap(({ call, answered }, index) =>
    !answered && call.callId === callId ? [index] : [],
  );
  const [index] = found;
  if (index === undefined)
    throw new LonghaulError(
      'ProtocolError',
      `No open call of turn ${turn} has the id "${callId}".`,
    );
  if (found.length > 1)
    throw new LonghaulError(
      'ProtocolError',
      `${found.length} open calls of turn ${turn} have the id "${callId}"; give turn and index.`,
    );
  return index;
}

function checkResult({ turn, slots, calls }: ToolBatch, result: ToolResult, index: number): void {
  const open = calls[index];
  const where = `call ${index} of turn ${turn}`;
  if (result.turn !== undefined && result.turn !== turn)
    throw new LonghaulError(
      'ProtocolError',
      `A result answers turn ${result.turn}, but the open calls are of turn ${turn}.`,
    );
  if (!open || !Number.isInteger(index))
    throw new LonghaulError('ProtocolError', `There is no ${where}.`);
  if (open.answered)
    throw new LonghaulError('ProtocolError', `A result answers ${where}, which has one already.`);
  if (!isRunnable(slots[index]))
    throw new LonghaulError(
      'ProtocolError',
      `A result answers ${where}, which waits for a person.`,
    );
  if (result.callId !== open.call.callId || result.name !== open.call.name)
    throw new LonghaulError(
      'ProtocolError',
      `A result for "${result.name}" (${result.callId}) does not match ${where}, "${open.call.name}" (${open.call.callId}).`,
    );
  if (!Array.isArray(result.content))
    throw new LonghaulError('ProtocolError', `The result of ${where} has no list of contents.`);
  if (slots[index] === 'malformed' && result.isError !== true)
    throw new LonghaulError(
      'ProtocolError',
      `The arguments of ${where} are malformed: answer it with isError: true.`,
    );
}
