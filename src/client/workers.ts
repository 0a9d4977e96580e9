// Whether a worker polls a task queue.

import type { Client } from '@temporalio/client';
import { grpcStatus } from '../base/grpc-status';
import { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { pollingWorkers } from '../server/pollers';
import { pauseUnlessAborted } from './calls';
import { hasGrpcStatus } from './failures';

const checkEveryMs = 1_000;

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
