// Why the workflow task of a run fails, as the run's history says it.

import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { lastEvents } from './history-events';

export type TaskFailure = {
  readonly message: string;
  /** The code of the worker does not fit the history of the run. */
  readonly isNondeterminism: boolean;
};

/** A run whose tasks fail has few events since its last good one. */
const mostEvents = 50;

/** `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR` of the server's API. */
const nonDeterministic: unknown = 24;

/** Undefined when the last task did not fail: a task that timed out says nothing. */
export async function taskFailure(
  client: Client,
  workflowId: string,
): Promise<TaskFailure | undefined> {
  let looked = 0;
  for await (const event of lastEvents(client, { workflowId })) {
    looked += 1;
    if (event.workflowTaskCompletedEventAttributes || looked > mostEvents) return undefined;
    const { cause, failure } = event.workflowTaskFailedEventAttributes ?? {};
    if (!failure) continue;
    const error = await decodeOptionalFailureToOptionalError(
      client.options.loadedDataConverter,
      failure,
    );
    const message = error?.message ?? '';
    return {
      message,
      isNondeterminism: cause === nonDeterministic || /nondeterminis/i.test(message),
    };
  }
  return undefined;
}
