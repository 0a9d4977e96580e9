// Whether a run does nothing until people answer: no call of it or of a run below it is open, and no message between them is on its way.

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode } from '../../protocol/errors';
import { hasClosed, stateFromMemo } from '../run-view';
import type { RunSource } from './run-source';

/** It tells people that the run waits, so it is not work. */
const notice = 'notifyPause';

/** `open`: ids of the inputs that the root run lists. */
export async function isIdle(
  execution: WorkflowExecutionDescription,
  open: ReadonlySet<string>,
  sourceOf: (workflowId: string) => RunSource,
): Promise<boolean> {
  const { raw } = execution;
  const calls = (raw.pendingActivities ?? []).filter(({ activityType }) => {
    return activityType?.name !== notice;
  });
  if (hasClosed(execution) || calls.length > 0 || raw.pendingWorkflowTask) return false;
  // An input of a run below that the root does not list was just asked, or just answered.
  if (stateFromMemo(execution).pending.some(({ inputId }) => !open.has(inputId))) return false;
  for (const { workflowId } of raw.pendingChildren ?? []) {
    const child = await describe(sourceOf(workflowId ?? ''));
    if (child === undefined || !(await isIdle(child, open, sourceOf))) return false;
  }
  return true;
}

/** Undefined if the child has not started yet. */
async function describe(source: RunSource): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await source.describe();
  } catch (error) {
    if (hasCode(error, 'RunNotFound')) return undefined;
    throw error;
  }
}
