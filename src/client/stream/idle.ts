// Whether a run does nothing until people answer: no call of it or of a run below it is open, and no message between them is on its way.

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode } from '../../protocol';
import { hasClosed, stateFromMemo } from '../read/run-view';
import type { RunSource } from './run-source';

/** It tells people that the run waits, so it is not work. */
const notice = 'notifyPause';

type Known = {
  /** Ids of the inputs that the root run lists. */
  readonly open: ReadonlySet<string>;
  readonly sourceOf: (workflowId: string) => RunSource;
  /** Whether the stream has all of the history that the run has now. */
  readonly isTold: (execution: WorkflowExecutionDescription) => boolean;
};

/** Undefined if the stream has to tell something before it can tell that they wait. */
export async function isIdle(
  execution: WorkflowExecutionDescription,
  known: Known,
): Promise<boolean | undefined> {
  const { raw } = execution;
  const calls = (raw.pendingActivities ?? []).some((call) => call.activityType?.name !== notice);
  if (hasClosed(execution) || calls || raw.pendingWorkflowTask) return false;
  const { status, pending } = stateFromMemo(execution);
  // An input of a run below that the root does not list was just asked, or just answered.
  if (pending.some(({ inputId }) => !known.open.has(inputId))) return false;
  const below = raw.pendingChildren ?? [];
  // It waits for a message, such as the reply to its own: the root may still list what was answered.
  if (below.length === 0 && status !== 'needs-input') return false;
  if (!known.isTold(execution)) return undefined;
  for (const { workflowId } of below) {
    const looking = known.sourceOf(workflowId ?? '').describe();
    const child = await looking.catch((error: unknown) => {
      if (!hasCode(error, 'RunNotFound')) throw error; // Else it has not started yet.
    });
    const isChildIdle = child !== undefined && (await isIdle(child, known));
    if (isChildIdle !== true) return isChildIdle;
  }
  return true;
}
