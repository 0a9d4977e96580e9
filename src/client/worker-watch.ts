import type { Client } from '@temporalio/client';
import { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus } from './failures';
import { pollingWorkers } from './polling-workers';

const checkEveryMs = 1_000;

/**
 * Whether any worker polls the task queue: one that was killed counts for some minutes more, one that stopped does not. The
 * time-skipping server cannot tell, which counts as yes.
 */
export async function hasWorker(client: Client, taskQueue: string): Promise<boolean> {
  try {
    return (await pollingWorkers(client, taskQueue)).length > 0;
  } catch (error) {
    if (hasGrpcStatus(error, grpcStatus.unimplemented)) return true;
    throw error;
  }
}

/** Rejects with `NoWorker` when none has shown itself for 5 s; resolves when one has. Never touches the run. */
export async function requireWorker(
  client: Client,
  options: { taskQueue: string; workflowId: string; signal: AbortSignal },
): Promise<void> {
  const { taskQueue, workflowId, signal } = options;
  const deadline = Date.now() + timeouts.serverCheck - checkEveryMs;
  while (!signal.aborted) {
    if (await hasWorker(client, taskQueue)) return;
    if (Date.now() >= deadline) throw noWorker(taskQueue, workflowId);
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
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
