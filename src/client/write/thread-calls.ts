// Calls to a thread: queries, and the updates `send` and `clear`, which start the thread if it is not open.
//
// 1. The update id derives from the message id, so a message that somebody sends twice is the same message.
// 2. If a thread is ending or continuing as new, the call asks again. The next execution answers.
// 3. A call without a server fails with `ServerUnavailable`, one without a worker with `NoWorker`, within 5 s.
// 4. A closed thread still answers queries as long as the server has its history.

import {
  type Client,
  QueryNotRegisteredError,
  WithStartWorkflowOperation,
  type WorkflowExecutionDescription,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { tellsOfOtherVersion } from '../../core/stored-format';
import {
  LonghaulError,
  queryNames,
  threadType,
  timeouts,
  type TurnsQuery,
  type TurnView,
} from '../../protocol';
import { grpcStatus, type JsonObject, retry } from '../../base';
import { placeOf, serverUnavailable } from '../../server';
import {
  asLonghaulError,
  hasGrpcStatus,
  isCutOff,
  isNotFound,
  isNotReady,
  readable,
  runFailure,
  updateRefusal,
} from '../server/failures';
import { askInTime, describeIfThere, pause } from '../server/calls';
import { RunView } from '../read/run-view';
import { readTaskFailure } from '../timeline/history';
import { explainVersions, type Unserved } from '../server/unserved';
import { lookForWorker, noWorker, requireWorker, whileServed } from '../server/workers';
import type { Workflow } from '@temporalio/common';

const attempts = 20;

const longestPauseMs = 1_000;

const pauseMs = 20;

export class ThreadView {
  readonly #client: Client;
  readonly #threadId: string;
  readonly #taskQueue: string;

  constructor(client: Client, threadId: string, taskQueue: string) {
    this.#client = client;
    this.#threadId = threadId;
    this.#taskQueue = taskQueue;
  }

  /** The turns; empty if the thread was never started. A turn is done when its run has ended. */
  async turns(query: TurnsQuery = {}): Promise<readonly TurnView[]> {
    await this.#caughtUp();
    const turns = await this.turnsNow(query);
    if (turns.every(isDone)) return turns;
    const execution = await this.#closedExecution();
    if (execution === undefined) return turns;
    const last = await this.#query<readonly TurnView[]>(queryNames.turns, [query], execution);
    return (last ?? []).map(neverEnded);
  }

  /** The turns as the thread knows them. The thread learns a moment later than the server that a run has ended. */
  async turnsNow(query: TurnsQuery): Promise<readonly TurnView[]> {
    return (await this.#query<readonly TurnView[]>(queryNames.turns, [query])) ?? [];
  }

  async session(): Promise<JsonObject> {
    await this.#caughtUp();
    return (await this.#query<JsonObject>(queryNames.session)) ?? {};
  }

  /** For `SendInput.erasures`. Waits a moment while contents are being deleted. Undefined before the first message, and for a thread of 0.2.0. */
  async erasures(): Promise<number | undefined> {
    const deadline = Date.now() + timeouts.erasing;
    for (;;) {
      const erasures = await this.#query<number>(queryNames.erasures);
      const isErasing = erasures !== undefined && erasures % 2 !== 0;
      if (!isErasing || Date.now() > deadline) return erasures;
      await pause(pauseMs);
    }
  }

  async isOpen(): Promise<boolean> {
    return (await this.#describe())?.status.name === 'RUNNING';
  }

  /** The run id of the closed thread; undefined while it is open. */
  async #closedExecution(): Promise<string | undefined> {
    const execution = await this.#describe();
    return execution?.status.name === 'RUNNING' ? undefined : execution?.runId;
  }

  async #describe(): Promise<WorkflowExecutionDescription | undefined> {
    return await describeIfThere(this.#client, { workflowId: this.#threadId });
  }

  /** Waits until the thread knows about a run that has ended, so that a caller who saw the answer finds it here. */
  async #caughtUp(): Promise<void> {
    const deadline = Date.now() + timeouts.serverCheck;
    for (;;) {
      const [running] = await this.turnsNow({ status: 'running' });
      if (running === undefined || !(await this.#hasEnded(running.workflowId))) return;
      if (Date.now() > deadline || !(await this.isOpen())) return;
      await pause(pauseMs);
    }
  }

  async #hasEnded(workflowId: string): Promise<boolean> {
    const run = await describeIfThere(this.#client, { workflowId });
    return run !== undefined && run.status.name !== 'RUNNING';
  }

  /** Undefined if there is no such thread. */
  async #query<Answer>(
    name: string,
    args: readonly unknown[] = [],
    runId?: string,
  ): Promise<Answer | undefined> {
    const handle = this.#client.workflow.getHandle(this.#threadId, runId);
    const deadline = Date.now() + timeouts.serverCheck;
    for (;;) {
      try {
        return readable(
          await askInTime(this.#client, () => handle.query<Answer, unknown[]>(name, ...args)),
        );
      } catch (error) {
        if (isNotFound(error)) return undefined;
        const isRefused = error instanceof QueryNotRegisteredError;
        if (isRefused && !tellsOfOtherVersion(error.message)) return undefined;
        if (isRefused || (await this.#failsTask(error)))
          throw await new RunView(this.#client, this.#threadId).unanswerable(error as Error);
        await this.#checkWorker(error, deadline);
      }
    }
  }

  async #failsTask(error: unknown): Promise<boolean> {
    if (!hasGrpcStatus(error, grpcStatus.failedPrecondition)) return false;
    return (await readTaskFailure(this.#client, this.#threadId)) !== undefined;
  }

  /** Returns if a worker polls and was only slow: ask again. Else throws. */
  async #checkWorker(error: unknown, deadline: number): Promise<void> {
    if (hasGrpcStatus(error, grpcStatus.unavailable)) {
      throw serverUnavailable('the server of this connection', error);
    }
    // The server says so at once, when nobody has polled for 20 s.
    const isUnpolled = hasGrpcStatus(error, grpcStatus.failedPrecondition);
    if (!isUnpolled && !hasGrpcStatus(error, grpcStatus.cancelled, grpcStatus.deadlineExceeded))
      throw asLonghaulError(error);
    const open = await this.#describe();
    const place = open === undefined ? { taskQueue: this.#taskQueue } : placeOf(open);
    const { isServed, idle } = await lookForWorker(this.#client, place).catch(
      (failure: unknown) => {
        throw serverUnavailable('the server of this connection', failure);
      },
    );
    if (!isServed || (isUnpolled && Date.now() > deadline))
      throw noWorker({ ...place, idle }, this.#threadId);
    if (isUnpolled) await pause(longestPauseMs);
  }
}

function isDone({ status }: TurnView): boolean {
  return status !== 'queued' && status !== 'running';
}

/** A thread that ended does not learn how its open turns end: they count as failed. */
function neverEnded(turn: TurnView): TurnView {
  if (isDone(turn)) return turn;
  const { behind: _behind, ...rest } = turn;
  const message = 'the thread ended before the turn did';
  return { ...rest, status: 'failed', failure: { code: 'RunClosed', message } };
}

export type ThreadUpdate = {
  readonly client: Client;
  readonly start: WorkflowStartOptions;
  readonly name: string;
  readonly updateId: string;
  /** Called for each attempt. */
  readonly args: () => readonly unknown[] | Promise<readonly unknown[]>;
};

export async function updateThread<Reply>(update: ThreadUpdate): Promise<Reply> {
  const { client, start } = update;
  try {
    return await whileServed(
      (signal, since) => requireThreadWorker(update, signal, since),
      (signal) => client.withAbortSignal(signal, () => sendUntilTaken<Reply>(update)),
    );
  } catch (error) {
    if (isNotReady(error)) throw await new RunView(client, start.workflowId).unanswerable(error);
    throw asLonghaulError(error);
  }
}

async function sendUntilTaken<Reply>(update: ThreadUpdate): Promise<Reply> {
  return await retry(() => sendOnce<Reply>(update), {
    while: async (error, attempt) => {
      const mismatch = await startMismatch(update);
      if (mismatch !== undefined) throw mismatch;
      return mayRetrySend(error) && attempt < attempts;
    },
    pause: (attempt) => pause(Math.min(longestPauseMs, attempt * 50)),
  });
}

async function sendOnce<Reply>({
  client,
  start,
  name,
  updateId,
  args,
}: ThreadUpdate): Promise<Reply> {
  const given = await args();
  const startWorkflowOperation = new WithStartWorkflowOperation(threadType, {
    ...start,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return readable(
    await client.workflow.executeUpdateWithStart<Workflow, Reply, unknown[]>(name, {
      updateId,
      args: [...given],
      startWorkflowOperation,
    }),
  );
}

/** If client and worker encrypt differently, the thread fails at each start before it takes anything. */
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

/** The thread closed or continued as new before it took the update. */
function mayRetrySend(error: unknown): boolean {
  if (isCutOff(error) || isNotFound(error)) return true;
  if (hasGrpcStatus(error, grpcStatus.failedPrecondition, grpcStatus.aborted)) return true;
  const refusal = updateRefusal(error);
  return refusal?.code === 'RunClosed';
}

/** Requires a worker on the task queue of the open thread, else on the client's own queue. */
async function requireThreadWorker(
  { client, start }: ThreadUpdate,
  signal: AbortSignal,
  since: Date | undefined,
): Promise<Date | undefined> {
  const { workflowId } = start;
  const open = await describeIfThere(client, { workflowId });
  const place = open?.status.name === 'RUNNING' ? placeOf(open) : { taskQueue: start.taskQueue };
  return await requireWorker(client, { ...place, workflowId, signal, since }, notTaken);
}

function notTaken(unserved: Unserved, workflowId: string): LonghaulError {
  const { taskQueue } = unserved;
  const versions = explainVersions(unserved, workflowId);
  const reason = versions?.reason ?? `no worker polls task queue '${taskQueue}'`;
  const todo = versions === undefined ? '' : `: ${versions.todo}`;
  return new LonghaulError(
    'NoWorker',
    `${reason}: thread '${workflowId}' did not take the message. Send it again with the same messageId when a worker runs${todo}`,
    { retryable: true, details: { taskQueue, workflowId } },
  );
}
