// Which workers poll a task queue, as the server says.

import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { defined, protoMs, type ProtoTime } from '../base';
import { timeouts } from '../protocol';
import { pollerVersion, versionsAtWork, type WorkerVersion } from './worker-versions';

/** Values of Temporal's `TaskQueueType`. */
const taskTypes = { workflow: 1, activity: 2 } as const;

/** In the server's API: `WORKER_STATUS_SHUTTING_DOWN` and `WORKER_STATUS_SHUTDOWN`. */
const stoppedStatuses: readonly unknown[] = [2, 3];

/** Queues to name. */
const mostQueues = 5;

export type PollingWorker = {
  readonly identity: string;
  readonly lastPoll: Date;
  readonly version?: WorkerVersion;
  /** Gets work that is pinned to no version, such as new runs: its version is current or ramping, or the queue uses none. */
  readonly isAtWork: boolean;
};

/**
 * The server lists a poller for five minutes after its last poll. Leaves out a worker that has said since then that it stops. A worker that
 * was killed still counts.
 */
export async function pollingWorkers(
  client: Client,
  taskQueue: string,
  tasks: keyof typeof taskTypes = 'workflow',
): Promise<readonly PollingWorker[]> {
  const queue = await inTime(client, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: taskTypes[tasks],
    }),
  );
  if (queue.pollers.length === 0) return [];
  const stopped = await stopTimes(client, taskQueue);
  const isAtWork = versionsAtWork(queue);
  return queue.pollers
    .map((poller) => {
      const version = pollerVersion(poller);
      return {
        identity: poller.identity ?? '',
        lastPoll: toDate(poller.lastAccessTime),
        isAtWork: isAtWork(version),
        ...defined({ version }),
      };
    })
    .filter(({ identity, lastPoll }) => {
      const stop = stopped.get(identity);
      return stop === undefined || lastPoll > stop;
    });
}

/** Task queues that some worker of the namespace serves, by their heartbeats. Empty on servers that do not keep them. */
export async function servedQueues(client: Client): Promise<readonly string[]> {
  try {
    const { workersInfo } = await inTime(client, () =>
      client.workflowService.listWorkers({ namespace: client.options.namespace }),
    );
    const since = Date.now() - timeouts.longPoll;
    const served = workersInfo.flatMap(({ workerHeartbeat: worker }) => {
      const isAlive = toDate(worker?.heartbeatTime).getTime() > since;
      return isAlive && !stoppedStatuses.includes(worker?.status) ? (worker?.taskQueue ?? []) : [];
    });
    return [...new Set(served)].sort().slice(0, mostQueues);
  } catch {
    return [];
  }
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

/** By default a worker's identity is `<process id>@<host>`, with a number for the second and later ones of a process. */
export function isGone(identity: string, host = hostname()): boolean {
  const found = /^(?:longhaul-run-)?(\d+)@(.+?)(?:#\d+)?$/.exec(identity);
  if (found === null || found[2] !== host) return false;
  try {
    return !process.kill(Number(found[1]), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

export function toDate(timestamp: ProtoTime | null | undefined): Date {
  return new Date(protoMs(timestamp));
}

async function inTime<Answer>(client: Client, call: () => Promise<Answer>): Promise<Answer> {
  return await client.withDeadline(Date.now() + timeouts.serverCheck, call);
}
