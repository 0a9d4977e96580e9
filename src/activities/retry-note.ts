// Sends a note to a run: one of its calls has failed and is tried again. Without the note only the server knows that, and lists of runs do
// not show it.

import { ApplicationFailure, Context } from '@temporalio/activity';
import { oneLine } from '../base';
import {
  allWorkflowTypes,
  isTold,
  longestRetryError,
  type RetryNote,
  signalNames,
  timeouts,
} from '../protocol';
import { isFinal, isLastAttempt } from './user-code';

/** A call that fails and works soon after, as in a rolling deploy, causes no note. */
const quickMs = 500;

/** The first failure causes a note only if the provider asks for a pause as long as this. */
const longPauseMs = 15_000;

/** Never throws, because the run goes on without it. */
export async function tellRun(failure: unknown): Promise<void> {
  const { info } = Context.current();
  if (!isOfRun() || isFinal(failure) || isLastAttempt() || !isDue(failure)) return;
  const { activityId, attempt, workflowExecution } = info;
  const { workflowId = '', runId } = workflowExecution ?? {};
  const message = failure instanceof Error ? failure.message : 'no reason';
  const lastError = oneLine(message, longestRetryError);
  const note: RetryNote = { activityId, attempt, lastError };
  try {
    const { client } = Context.current();
    await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflow.getHandle(workflowId, runId).signal(signalNames.retrying, note),
    );
  } catch {
    // The server is away, or the run has ended.
  }
}

/** A user's own workflow does not expect the signal. */
function isOfRun(): boolean {
  const { workflowType = '' } = Context.current().info;
  return allWorkflowTypes.includes(workflowType);
}

function isDue(failure: unknown): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } =
    Context.current().info;
  if (!isTold(attempt)) return false;
  if (attempt === 1) return pauseMsOf(failure) >= longPauseMs;
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs >= quickMs;
}

function pauseMsOf(failure: unknown): number {
  const delay: unknown = failure instanceof ApplicationFailure ? failure.nextRetryDelay : undefined;
  return typeof delay === 'number' ? delay : 0;
}
