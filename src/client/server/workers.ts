// Whether a worker polls a task queue.

import type { Client } from '@temporalio/client';
import { defined, grpcStatus } from '../../base';
import { LonghaulError, timeouts } from '../../protocol';
import {
  isSameVersion,
  type PollingWorker,
  pollingWorkers,
  type TaskPlace,
  type WorkerVersion,
} from '../../server';
import { pause } from './calls';
import { hasGrpcStatus } from './failures';
import { explainVersions, type Unserved } from './unserved';

const checkEveryMs = 1_000;

/** Whether workers take the tasks of this place. True on the time-skipping server, which does not know its workers. */
export async function hasWorker(client: Client, place: TaskPlace): Promise<boolean> {
  return (await lookForWorker(client, place)).isServed;
}

/** `lastPoll`: the newest of the workers that serve. Undefined if the server does not know it. */
type Served = {
  readonly isServed: boolean;
  readonly lastPoll?: Date;
  readonly idle: readonly WorkerVersion[];
};

export async function lookForWorker(client: Client, place: TaskPlace): Promise<Served> {
  const { taskQueue, version } = place;
  try {
    const workers = await pollingWorkers(client, taskQueue);
    const isServing = (worker: PollingWorker): boolean =>
      version === undefined ? worker.isAtWork : isSameVersion(worker.version, version);
    const [newest] = workers.filter(isServing).sort((a, b) => +b.lastPoll - +a.lastPoll);
    const lastPoll = newest?.lastPoll.getTime() ? newest.lastPoll : undefined;
    const idle = distinctVersions(workers);
    return { isServed: newest !== undefined, ...defined({ lastPoll }), idle };
  } catch (error) {
    if (hasGrpcStatus(error, grpcStatus.unimplemented)) return { isServed: true, idle: [] };
    throw error;
  }
}

function distinctVersions(workers: readonly PollingWorker[]): readonly WorkerVersion[] {
  const versions = workers.flatMap(({ version }) => version ?? []);
  return versions.filter(
    (version, index) => versions.findIndex((other) => isSameVersion(other, version)) === index,
  );
}

type Sought = TaskPlace & {
  readonly workflowId: string;
  readonly signal?: AbortSignal;
  /** Only a later poll counts. */
  readonly since?: Date | undefined;
};

/**
 * Resolves when a worker polls, with its last poll. Rejects with `NoWorker` if none does in the time that `whileServed` leaves. Does not touch
 * the run.
 */
export async function requireWorker(
  client: Client,
  { workflowId, signal, since, ...place }: Sought,
  refusal = noWorker,
): Promise<Date | undefined> {
  const deadline = Date.now() + timeouts.serverCheck - 2 * checkEveryMs;
  while (signal?.aborted !== true) {
    const { isServed, lastPoll, idle } = await lookForWorker(client, place);
    if (isServed && (since === undefined || lastPoll === undefined || lastPoll > since))
      return lastPoll;
    if (Date.now() >= deadline) throw refusal({ ...place, idle }, workflowId);
    await pause(checkEveryMs, signal);
  }
  return undefined;
}

/**
 * Waits for `work`, and rejects within 5 s if `requireOne` finds no worker. The server lists a killed worker for five minutes. So when no
 * worker polls again in the time of a poll, it rejects, too, unless `requireOne` tells no poll. Ends both by their signal. Work that is done
 * within a second asks the server nothing about workers.
 */
export async function whileServed<Answer>(
  requireOne: (signal: AbortSignal, since?: Date) => Promise<Date | undefined>,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const watch = async (): Promise<never> => {
    let since: Date | undefined;
    for (let wait = checkEveryMs; await pause(wait, over.signal); wait = timeouts.longPoll) {
      since = await requireOne(over.signal, since);
      if (since === undefined) break;
    }
    return await new Promise<never>(() => undefined);
  };
  try {
    return await Promise.race([work(over.signal), watch()]);
  } finally {
    over.abort();
  }
}

export function noWorker(unserved: Unserved, workflowId: string): LonghaulError {
  const { taskQueue, version } = unserved;
  const { reason, todo } = explainVersions(unserved, workflowId) ?? {
    reason: `no worker polls task queue '${taskQueue}'`,
    todo: `createWorker({ taskQueue: '${taskQueue}' }) or \`longhaul dev\``,
  };
  return new LonghaulError(
    'NoWorker',
    `${reason}. Run '${workflowId}' is safe and goes on when one starts: ${todo}`,
    { retryable: true, details: { taskQueue, workflowId, ...defined({ version }) } },
  );
}
