import {
  type Client,
  WithStartWorkflowOperation,
  type WorkflowExecutionDescription,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { queryNames, threadType } from '../protocol/names';
import type { JsonObject } from '../base/json';
import type { TurnView, TurnsQuery } from '../protocol/thread';
import { serverUnavailable } from '../server/connection-options';
import { grpcStatus } from '../base/grpc-status';
import {
  asLonghaulError,
  hasGrpcStatus,
  isCutOff,
  isNotFound,
  readable,
  runFailure,
  updateRefusal,
} from './failures';
import { hasWorker, noWorker, requireWorker } from './workers';
import type { Workflow } from '@temporalio/common';
import { LonghaulError } from '../protocol/errors';

const attempts = 20;

const longestPauseMs = 1_000;

const pauseMs = 20;

// Reading a thread: by query, from a worker. What the thread kept is told also after it ended, as long as the server has its history.

export class ThreadView {
  readonly #client: Client;
  readonly #threadId: string;
  readonly #taskQueue: string;

  constructor(client: Client, threadId: string, taskQueue: string) {
    this.#client = client;
    this.#threadId = threadId;
    this.#taskQueue = taskQueue;
  }

  /** None of a thread that was never started. Those whose run has ended are done. */
  async turns(query: TurnsQuery = {}): Promise<readonly TurnView[]> {
    await this.#caughtUp();
    const turns = await this.turnsNow(query);
    if (turns.every(isDone)) return turns;
    const execution = await this.#closedExecution();
    if (execution === undefined) return turns;
    const last = await this.#query<readonly TurnView[]>(queryNames.turns, [query], execution);
    return (last ?? []).map(neverEnded);
  }

  /** As the thread knows them: it learns of the end of a run a moment after others do. */
  async turnsNow(query: TurnsQuery): Promise<readonly TurnView[]> {
    return (await this.#query<readonly TurnView[]>(queryNames.turns, [query])) ?? [];
  }

  async session(): Promise<JsonObject> {
    await this.#caughtUp();
    return (await this.#query<JsonObject>(queryNames.session)) ?? {};
  }

  async isOpen(): Promise<boolean> {
    return (await this.#describe())?.status.name === 'RUNNING';
  }

  /** Undefined while it is open. */
  async #closedExecution(): Promise<string | undefined> {
    const execution = await this.#describe();
    return execution?.status.name === 'RUNNING' ? undefined : execution?.runId;
  }

  async #describe(): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await this.#client.workflow.getHandle(this.#threadId).describe();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw asLonghaulError(error);
    }
  }

  /** Who has seen a turn's answer finds it in the thread. */
  async #caughtUp(): Promise<void> {
    const deadline = Date.now() + timeouts.serverCheck;
    for (;;) {
      const [running] = await this.turnsNow({ status: 'running' });
      if (running === undefined || !(await this.#hasEnded(running.workflowId))) return;
      if (Date.now() > deadline || !(await this.isOpen())) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async #hasEnded(workflowId: string): Promise<boolean> {
    try {
      const { status } = await this.#client.workflow.getHandle(workflowId).describe();
      return status.name !== 'RUNNING';
    } catch (error) {
      if (isNotFound(error)) return false;
      throw asLonghaulError(error);
    }
  }

  /** Undefined when there is no such thread. */
  async #query<Answer>(
    name: string,
    args: readonly unknown[] = [],
    runId?: string,
  ): Promise<Answer | undefined> {
    const handle = this.#client.workflow.getHandle(this.#threadId, runId);
    for (;;) {
      try {
        return readable(
          await this.#client.withDeadline(Date.now() + timeouts.serverCheck, () =>
            handle.query<Answer, unknown[]>(name, ...args),
          ),
        );
      } catch (error) {
        if (isNotFound(error)) return undefined;
        await this.#checkWorker(error);
      }
    }
  }

  /** Returns when it is worth asking again: a worker is there, and was only slow. */
  async #checkWorker(error: unknown): Promise<void> {
    if (hasGrpcStatus(error, grpcStatus.unavailable)) {
      throw serverUnavailable('the server of this connection', error);
    }
    const { cancelled, deadlineExceeded, failedPrecondition } = grpcStatus;
    if (!hasGrpcStatus(error, cancelled, deadlineExceeded, failedPrecondition))
      throw asLonghaulError(error);
    const polled = await hasWorker(this.#client, this.#taskQueue).catch((failure: unknown) => {
      throw serverUnavailable('the server of this connection', failure);
    });
    if (!polled) throw noWorker(this.#taskQueue, this.#threadId);
  }
}

function isDone({ status }: TurnView): boolean {
  return status !== 'queued' && status !== 'running';
}

/** As the thread ended, it could not tell any more what becomes of the turns it had. */
function neverEnded(turn: TurnView): TurnView {
  if (isDone(turn)) return turn;
  const { behind: _behind, ...rest } = turn;
  const message = 'the thread ended before the turn did';
  return { ...rest, status: 'failed', failure: { code: 'RunClosed', message } };
}

// An update to a thread, which is started with it where it is not open: `send` and `clear`.
//
// 1. The update id is the message's: sent again, by whomever, it is the same message.
// 2. A thread that is just ending or moving to its next execution is asked again; the one after it answers.
// 3. Nothing is waited for in vain: no server is `ServerUnavailable`, no worker `NoWorker`, within 5 s.

export type ThreadUpdate = {
  readonly client: Client;
  readonly start: WorkflowStartOptions;
  readonly name: string;
  readonly updateId: string;
  readonly args: readonly unknown[];
};

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
