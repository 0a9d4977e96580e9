/*
 * All transitions of the machine: the events that each state expects, and the states that each event may lead to. An event that is not
 * listed is a protocol error and changes nothing. A move that is not listed is a bug of the machine.
 */
import { LonghaulError } from '../../protocol/errors';
import type { RunStateKind } from './run-state';

export type MachineEvent =
  | 'nextStep'
  | 'compact'
  | 'modelResponse'
  | 'resolveInvalidToolCall'
  | 'ignoreInvalidToolCall'
  | 'toolResults'
  | 'answer'
  | 'approve'
  | 'reject'
  | 'defer'
  | 'complete'
  | 'edit'
  | 'note'
  | 'steer'
  | 'retryModelTurn'
  | 'recordStreamedCompletionCall'
  | 'resolveStreamedInvalidToolCall'
  | 'streamedTurn';

type Targets = { readonly [event in MachineEvent]?: readonly RunStateKind[] };

export const transitions: { readonly [kind in RunStateKind]: Targets } = {
  preparing: {
    nextStep: ['awaiting-model', 'failed'],
    recordStreamedCompletionCall: ['preparing'],
  },
  'awaiting-model': {
    nextStep: ['awaiting-model'],
    compact: ['awaiting-model'],
    note: ['awaiting-model'],
    steer: ['awaiting-model'],
    modelResponse: ['resolving-tool-calls', 'awaiting-advance', 'failed'],
    recordStreamedCompletionCall: ['awaiting-model'],
    resolveStreamedInvalidToolCall: ['awaiting-model', 'preparing', 'failed'],
    streamedTurn: ['awaiting-advance', 'failed'],
  },
  'resolving-tool-calls': {
    resolveInvalidToolCall: ['resolving-tool-calls', 'awaiting-advance', 'preparing', 'failed'],
    ignoreInvalidToolCall: ['resolving-tool-calls', 'awaiting-advance'],
  },
  'awaiting-advance': {
    nextStep: ['executing-tools', 'awaiting-input', 'preparing', 'done', 'failed'],
    retryModelTurn: ['preparing'],
  },
  'executing-tools': {
    nextStep: ['executing-tools', 'preparing'],
    toolResults: ['executing-tools', 'preparing'],
    answer: ['executing-tools', 'preparing'],
    approve: ['executing-tools'],
    reject: ['executing-tools', 'preparing'],
    defer: ['executing-tools'],
    complete: ['executing-tools', 'preparing'],
    edit: ['executing-tools'],
    note: ['executing-tools'],
  },
  'awaiting-input': {
    nextStep: ['awaiting-input'],
    note: ['awaiting-input'],
    answer: ['preparing'],
  },
  done: { nextStep: ['done'], note: ['done'], steer: ['preparing'] },
  failed: { nextStep: ['failed'] },
};

export function expectEvent(kind: RunStateKind, event: MachineEvent): void {
  if (transitions[kind][event]) return;
  const expected = Object.keys(transitions[kind]).join(', ');
  throw new LonghaulError(
    'ProtocolError',
    `${event} does not fit a run that is "${kind}"; it expects ${expected}.`,
  );
}

export function checkMove(from: RunStateKind, event: MachineEvent, to: RunStateKind): void {
  if (transitions[from][event]?.includes(to)) return;
  throw new LonghaulError('InternalError', `${event} must not lead from "${from}" to "${to}".`);
}
