// An update to a thread, which is started with it where it is not open: `send` and `clear`.
//
// 1. The update id is the message's: sent again, by whomever, it is the same message.
// 2. A thread that is just ending or moving to its next execution is asked again; the one after it answers.
// 3. Nothing is waited for in vain: no server is `ServerUnavailable`, no worker `NoWorker`, within 5 s.

import {
  WithStartWorkflowOperation,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { threadType } from '../protocol/names';
import { grpcStatus } from '../base/grpc-status';
import {
  asLonghaulError,
  hasGrpcStatus,
  isCutOff,
  isNotFound,
  runFailure,
  updateRefusal,
} from './failures';
import { readable } from './readable';
import { requireWorker } from './worker-watch';

export type ThreadUpdate = {
  readonly client: Client;
  readonly start: WorkflowStartOptions;
  readonly name: string;
  readonly updateId: string;
  readonly args: readonly unknown[];
};

const attempts = 20;
const longestPauseMs = 1_000;

export async function updateThread<Reply>(update: ThreadUpdate): Promise<Reply> {
  const { client, start } = update;
  const watch = new AbortController();
  const sent = client.withAbortSignal(watch.signal, () => sendUntilTaken<Reply>(update));
  const watched = rejectWithoutWorker(client, start, watch.signal);
  try {
    return await Promise.race([sent, watched]);
  } catch (error) {
    throw asLonghaulError(error);
  } finally {
    watch.abort();
    for (const left of [sent, watched]) left.catch(() => undefined);
  }
}

async function sendUntilTaken<Reply>(update: ThreadUpdate): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce<Reply>(update);
    } catch (error) {
      const mismatch = await startMismatch(update);
      if (mismatch !== undefined) throw mismatch;
      if (!isPassing(error) || attempt === attempts) throw error;
      const pauseMs = Math.min(longestPauseMs, attempt * 50);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

async function sendOnce<Reply>({
  client,
  start,
  name,
  updateId,
  args,
}: ThreadUpdate): Promise<Reply> {
  const startWorkflowOperation = new WithStartWorkflowOperation(threadType, {
    ...start,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return readable(
    await client.workflow.executeUpdateWithStart<Workflow, Reply, unknown[]>(name, {
      updateId,
      args: [...args],
      startWorkflowOperation,
    }),
  );
}

/** A thread that client and worker do not encrypt alike fails before it takes anything, each time it is started. */
async function startMismatch({ client, start }: ThreadUpdate): Promise<LonghaulError | undefined> {
  const handle = client.workflow.getHandle(start.workflowId);
  try {
    const { status } = await handle.describe();
    if (status.name === 'FAILED') await handle.result();
    return undefined;
  } catch (error) {
    const failure = runFailure(error);
    return failure?.code === 'EncryptionMismatch' ? failure : undefined;
  }
}

/** The thread closed or moved on before it took the update. */
function isPassing(error: unknown): boolean {
  if (isCutOff(error) || isNotFound(error)) return true;
  if (hasGrpcStatus(error, grpcStatus.failedPrecondition, grpcStatus.aborted)) return true;
  const refusal = updateRefusal(error);
  return refusal?.code === 'RunClosed';
}

/** Never resolves. Asks about the task queue that the thread is on, if it is open. */
async function rejectWithoutWorker(
  client: Client,
  { taskQueue: ownQueue, workflowId }: WorkflowStartOptions,
  signal: AbortSignal,
): Promise<never> {
  const taskQueue = (await queueOf(client, workflowId)) ?? ownQueue;
  try {
    await requireWorker(client, { taskQueue, workflowId, signal });
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'NoWorker') throw error;
    const message =
      `no worker polls task queue '${taskQueue}': thread '${workflowId}' did not take the message. ` +
      'Send it again under the same messageId when one runs';
    throw new LonghaulError('NoWorker', message, {
      cause: error,
      retryable: true,
      details: error.details,
    });
  }
  return await new Promise<never>(() => undefined);
}

async function queueOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const deadline = Date.now() + timeouts.serverCheck;
    const { status, taskQueue } = await client.withDeadline(deadline, () => handle.describe());
    return status.name === 'RUNNING' ? taskQueue : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
