// The ids of one turn of a thread in AG-UI. They depend on the log alone: whoever watches gets the same ones, live or later. All begin with the
// workflow id of the turn, so that a client's messages of this turn are known from those of others.

import { hashOf } from '../../base';
import type { PendingInput } from '../../protocol';

/** A run of the turn's tree. The id of a sub-agent's invocation. */
export function runName(root: string, workflowId: string): string {
  return workflowId === root ? root : `${root}/${hashOf(workflowId)}`;
}

/** A step of a run. The id of its assistant message, and the beginning of the ids of all its messages. */
export function stepName(run: string, turn: number): string {
  return `${run}/${turn}`;
}

export function callName(step: string, index: number): string {
  return `${step}/call-${index}`;
}

/** The digest of the run that asks. */
export function askerOf({ inputId }: Pick<PendingInput, 'inputId'>): string {
  return inputId.slice(inputId.lastIndexOf('@') + 1);
}

/** The call that waits. A question of a whole turn and a used-up budget have none. */
export function waitingCall(
  root: string,
  input: Pick<PendingInput, 'inputId'>,
): string | undefined {
  const asker = askerOf(input);
  const run = asker === hashOf(root) ? root : `${root}/${asker}`;
  const [, turn, index] = /^[a-z](\d+)\.(\d+)/.exec(input.inputId) ?? [];
  if (turn === undefined || index === undefined) return undefined;
  return callName(stepName(run, Number(turn)), Number(index));
}

/** The call that started a run below. Undefined if its id was too long to say it, or if a step of a graph started it. */
export function startingCall(
  workflowId: string,
  caller: { readonly workflowId: string; readonly name: string },
): { readonly step: string; readonly call: string } | undefined {
  if (!workflowId.startsWith(`${caller.workflowId}.`)) return undefined;
  const place = workflowId.slice(caller.workflowId.length);
  const [, turn, index] = /\.(\d+)\.(\d+)~[^~.]*$/.exec(place) ?? [];
  if (turn === undefined || index === undefined) return undefined;
  const step = stepName(caller.name, Number(turn));
  return { step, call: callName(step, Number(index)) };
}
