// Who polled last, if nobody may be left to make the open calls of a run. The server lists a worker for five minutes after its last poll.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { isGone, type PollingWorker, pollingWorkers } from '../../server';
import { dueAt, isTaken } from './open-calls';

/** A worker with room for a call polls for it at once. */
const shortSilenceMs = 10_000;

/** A worker that has nothing to do polls once a minute. */
const longSilenceMs = 65_000;

/** The worker that polled last. Without `identity`, none polls. */
export type LastPoll = {
  readonly taskQueue: string;
  readonly identity?: string;
  /** ISO 8601. */
  readonly at?: string;
};

/** Undefined if the run has no work open, or if some worker seems to live. */
export async function lastPollOf(
  client: Client,
  { raw, taskQueue }: WorkflowExecutionDescription,
): Promise<LastPoll | undefined> {
  const calls = raw.pendingActivities ?? [];
  const isMade = calls.some((call) => isTaken(call) && !isGone(call.lastWorkerIdentity ?? ''));
  const hasTask = Boolean(raw.pendingWorkflowTask);
  if (isMade || (calls.length === 0 && !hasTask)) return undefined;
  const isDue = hasTask || calls.some((call) => dueAt(call).getTime() <= Date.now());
  const workers = await pollers(client, taskQueue);
  const silenceMs = isDue ? shortSilenceMs : longSilenceMs;
  if (workers?.every((worker) => isSilent(worker, silenceMs)) !== true) return undefined;
  const [last] = workers.toSorted((one, other) => Number(other.lastPoll) - Number(one.lastPoll));
  return {
    taskQueue,
    ...(last && { identity: last.identity, at: last.lastPoll.toISOString() }),
  };
}

/** Undefined on a server that cannot tell. */
async function pollers(
  client: Client,
  taskQueue: string,
): Promise<readonly PollingWorker[] | undefined> {
  try {
    const [tasks, calls] = await Promise.all([
      pollingWorkers(client, taskQueue, 'workflow'),
      pollingWorkers(client, taskQueue, 'activity'),
    ]);
    return [...tasks, ...calls];
  } catch {
    return undefined;
  }
}

function isSilent({ identity, lastPoll }: PollingWorker, silenceMs: number): boolean {
  const isUnknown = lastPoll.getTime() === 0;
  return !isUnknown && (isGone(identity) || Date.now() - lastPoll.getTime() > silenceMs);
}
