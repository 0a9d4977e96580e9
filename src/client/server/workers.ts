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

type Served = { readonly isServed: boolean; readonly idle: readonly WorkerVersion[] };

export async function lookForWorker(client: Client, place: TaskPlace): Promise<Served> {
  const { taskQueue, version } = place;
  try {
    const workers = await pollingWorkers(client, taskQueue);
    const isServing = (worker: PollingWorker): boolean =>
      version === undefined ? worker.isAtWork : isSameVersion(worker.version, version);
    return { isServed: workers.some(isServing), idle: distinctVersions(workers) };
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

/** Resolves when a worker polls. Rejects with `NoWorker` if none does in the time that `whileServed` leaves. Does not touch the run. */
export async function requireWorker(
  client: Client,
  { workflowId, signal, ...place }: TaskPlace & { workflowId: string; signal?: AbortSignal },
  refusal = noWorker,
): Promise<void> {
  const deadline = Date.now() + timeouts.serverCheck - 2 * checkEveryMs;
  while (signal?.aborted !== true) {
    const { isServed, idle } = await lookForWorker(client, place);
    if (isServed) return;
    if (Date.now() >= deadline) throw refusal({ ...place, idle }, workflowId);
    await pause(checkEveryMs, signal);
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
    if (await pause(checkEveryMs, over.signal)) await requireOne(over.signal);
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
