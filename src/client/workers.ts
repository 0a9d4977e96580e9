// Which workers poll a task queue, as the server says.

import type { Client } from '@temporalio/client';
import { protoMs, type ProtoTime } from '../base/duration';
import { grpcStatus } from '../base/grpc-status';
import { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { inTime, pauseUnlessAborted } from './calls';
import { hasGrpcStatus } from './failures';

const checkEveryMs = 1_000;

/** In the server's API: `TASK_QUEUE_TYPE_WORKFLOW`, `WORKER_STATUS_SHUTTING_DOWN` and `WORKER_STATUS_SHUTDOWN`. */
const workflowTasks = 1;
const stoppedStatuses: readonly unknown[] = [2, 3];

export type PollingWorker = { readonly identity: string; readonly lastPoll: Date };

/**
 * The server lists a poller for five minutes after its last poll. Leaves out a worker that has said since then that it stops. A worker that
 * was killed still counts.
 */
export async function pollingWorkers(
  client: Client,
  taskQueue: string,
): Promise<readonly PollingWorker[]> {
  const { pollers } = await inTime(client, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowTasks,
    }),
  );
  if (pollers.length === 0) return [];
  const stopped = await stopTimes(client, taskQueue);
  return pollers
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastPoll: toDate(lastAccessTime),
    }))
    .filter(({ identity, lastPoll }) => {
      const stop = stopped.get(identity);
      return stop === undefined || lastPoll > stop;
    });
}

/** When workers of the queue said that they stop, by identity. Empty on servers that do not keep it. */
async function stopTimes(client: Client, taskQueue: string): Promise<ReadonlyMap<string, Date>> {
  const times = new Map<string, Date>();
  try {
    const { workersInfo } = await inTime(client, () =>
      client.workflowService.listWorkers({
        namespace: client.options.namespace,
        query: `TaskQueue = ${JSON.stringify(taskQueue)}`,
      }),
    );
    for (const { workerHeartbeat: worker } of workersInfo) {
      if (worker?.taskQueue !== taskQueue || !stoppedStatuses.includes(worker.status)) continue;
      const identity = worker.workerIdentity ?? '';
      const time = toDate(worker.heartbeatTime);
      if (time > (times.get(identity) ?? new Date(0))) times.set(identity, time);
    }
  } catch {
    return new Map();
  }
  return times;
}

export function toDate(timestamp: ProtoTime | null | undefined): Date {
  return new Date(protoMs(timestamp));
}

/** Whether any worker polls the task queue. True on the time-skipping server, which cannot tell. */
export async function hasWorker(client: Client, taskQueue: string): Promise<boolean> {
  try {
    return (await pollingWorkers(client, taskQueue)).length > 0;
  } catch (error) {
    if (hasGrpcStatus(error, grpcStatus.unimplemented)) return true;
    throw error;
  }
}

/** Resolves when a worker polls. Rejects with `NoWorker` if none does in the time that `whileServed` leaves. Does not touch the run. */
export async function requireWorker(
  client: Client,
  options: { taskQueue: string; workflowId: string; signal?: AbortSignal },
): Promise<void> {
  const { taskQueue, workflowId, signal } = options;
  const deadline = Date.now() + timeouts.serverCheck - 2 * checkEveryMs;
  while (signal?.aborted !== true) {
    if (await hasWorker(client, taskQueue)) return;
    if (Date.now() >= deadline) throw noWorker(taskQueue, workflowId);
    await pauseUnlessAborted(checkEveryMs, signal);
  }
}

/**
 * Waits for `work`, and rejects within 5 s if `requireOne` finds no worker. Ends both by their signal. Work that is done within a second
 * asks the server nothing about workers.
 */
export async function whileServed<Answer>(
  requireOne: (signal: AbortSignal) => Promise<void>,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const watch = async (): Promise<never> => {
    if (await pauseUnlessAborted(checkEveryMs, over.signal)) await requireOne(over.signal);
    return await new Promise<never>(() => undefined);
  };
  try {
    return await Promise.race([work(over.signal), watch()]);
  } finally {
    over.abort();
  }
}

export function noWorker(taskQueue: string, workflowId: string): LonghaulError {
  return new LonghaulError(
    'NoWorker',
    `no worker polls task queue '${taskQueue}'. Run '${workflowId}' is safe and goes on when one starts: ` +
      `createWorker({ taskQueue: '${taskQueue}' }) or \`longhaul dev\``,
    { retryable: true, details: { taskQueue, workflowId } },
  );
}
