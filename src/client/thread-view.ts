// Reading a thread: by query, from a worker. What the thread kept is told also after it ended, as long as the server has its history.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { queryNames } from '../protocol/names';
import type { JsonObject } from '../base/json';
import type { TurnsQuery, TurnView } from '../protocol/thread';
import { serverUnavailable } from '../server/connection-options';
import { grpcStatus } from '../base/grpc-status';
import { asLonghaulError, hasGrpcStatus, isNotFound } from './failures';
import { readable } from './readable';
import { hasWorker, noWorker } from './worker-watch';

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
