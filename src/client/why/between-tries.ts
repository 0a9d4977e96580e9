// A call that no worker has the code for is scheduled anew by the run itself. Between two tries nothing is open: only history tells of it.
//
// 1. Reads the last steps. What happened before them is not counted; a search for a worker has about 250.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { stateFromMemo } from '../read/run-view';
import type { Failure } from '../timeline/payloads';
import { lastStepsOf, type Step } from '../timeline/steps';
import { callName, lastError, openCalls, type OpenCalls, type Retrying } from './open-calls';

/** The calls that a run has open, or the one that it makes anew after a pause. `slowMs`: as for `openCalls`. */
export async function callsOf(
  client: Client,
  execution: WorkflowExecutionDescription,
  slowMs: number,
): Promise<OpenCalls> {
  const again = await callBetweenTries(client, execution);
  if (again !== undefined) return { retrying: [again], untaken: [] };
  return await openCalls(client, execution, slowMs);
}

/** Undefined unless the run's last call failed and the run pauses before it makes the call again. */
async function callBetweenTries(
  client: Client,
  execution: WorkflowExecutionDescription,
): Promise<Retrying | undefined> {
  if (!isIdle(execution)) return undefined;
  const { workflowId } = execution;
  const { failed, pause } = await readTail(client, workflowId);
  if (pause === undefined) return undefined;
  const tries = await Promise.all(
    failed.map(async ({ scheduled, failure }) => ({
      what: await callName(client, scheduled.name || 'a call', scheduled),
      at: scheduled.at,
      failure,
    })),
  );
  const own = tries.filter(({ what }) => what === tries[0]?.what);
  const [last, first] = [own.at(0), own.at(-1)];
  if (last === undefined || first === undefined) return undefined;
  return {
    what: last.what,
    workflowId,
    attempt: own.length + 1,
    ...(await lastError(client, last.failure)),
    since: first.at,
    nextAt: new Date(Date.parse(pause.at) + pause.ms).toISOString(),
  };
}

/** Nothing is open, and nobody is asked. */
function isIdle(execution: WorkflowExecutionDescription): boolean {
  const { pendingActivities, pendingChildren, pendingWorkflowTask } = execution.raw;
  const isBusy = pendingActivities?.length || pendingChildren?.length || pendingWorkflowTask;
  return !isBusy && stateFromMemo(execution).pending.length === 0;
}

type Tail = {
  /** The newest first. */
  readonly failed: readonly { readonly scheduled: Step<'activity'>; readonly failure: Failure }[];
  readonly pause: Step<'timer'> | undefined;
};

/** The end of a history: the tries that failed, back to the last other end of a call, and the timer that runs since the last of them. */
async function readTail(client: Client, workflowId: string): Promise<Tail> {
  const failed: { scheduled: Step<'activity'>; failure: Failure }[] = [];
  const failures = new Map<number, Failure>();
  const endedTimers = new Set<number>();
  let pause: Step<'timer'> | undefined;
  for await (const step of lastStepsOf(client, { workflowId })) {
    if (step.kind === 'timer-end') endedTimers.add(step.timer);
    if (step.kind === 'timer' && failures.size === 0 && !endedTimers.has(step.id)) pause ??= step;
    if (step.kind === 'end') {
      const isFailedTry = step.of === 'activity' && step.status === 'failed';
      if (!isFailedTry || pause === undefined) break;
      failures.set(step.call, step.failure);
    }
    if (step.kind === 'activity' && failures.has(step.id))
      failed.push({ scheduled: step, failure: failures.get(step.id) });
  }
  return { failed, pause };
}
