// Reading a run: from its worker by query, and without one from what the server keeps - memo, status, history.

import {
  type Client,
  QueryNotRegisteredError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { emptyUsage } from '../core/budget/usage';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { timeouts } from '../protocol/limits';
import type { LogEntry, LogPage } from '../protocol/log';
import { kindOfType, memoKey, queryNames } from '../protocol/names';
import type {
  ChildView,
  LogQuery,
  NonceReply,
  RunMemo,
  RunState,
  RunStatus,
} from '../protocol/run';
import { grpcStatus } from '../base/grpc-status';
import { asLonghaulError, hasGrpcStatus, isNotFound, readable } from './failures';
import { entriesFromHistory, readTaskFailure, type WorkflowTaskFailure } from './history';
import { hasWorker } from './workers';

const shortestPauseMs = 100;

const closedStatus: Readonly<Record<string, RunStatus>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  TERMINATED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
};

/** How the server says that no worker answered in time: `cancelled` when the deadline fell into one of its own retries. */
const unanswered = [
  grpcStatus.cancelled,
  grpcStatus.deadlineExceeded,
  grpcStatus.failedPrecondition,
] as const;

export type ReadOptions = {
  /** No worker is asked: the run is read from memo and history, which lack its counters and what it decided itself. */
  readonly withoutWorker?: boolean;
};

export class RunView {
  readonly #client: Client;
  readonly #workflowId: string;
  readonly #asksWorker: boolean;

  constructor(client: Client, workflowId: string, options: ReadOptions = {}) {
    this.#client = client;
    this.#workflowId = workflowId;
    this.#asksWorker = options.withoutWorker !== true;
  }

  /** The server's word counts too: a run that was terminated, or timed out, does not know, and still says what it waited for. */
  async state(): Promise<RunState> {
    const [state, execution] = await Promise.all([
      this.#query<RunState>(queryNames.state),
      this.describe(),
    ]);
    if (state === undefined) return stateFromMemo(execution);
    if (!isStopped(execution) || hasEnded(state.status)) return state;
    return { ...state, status: 'failed', pending: [] };
  }

  /**
   * Of an input of the run: what its answers' update ids are made of. From the memo, which lists most that are open: no worker has to
   * replay the run to tell. Else undefined when no worker answers in time.
   */
  async nonceOf(inputId: string): Promise<NonceReply | undefined> {
    const execution = await this.describe();
    readable(execution.memo?.[memoKey]);
    const { pending } = stateFromMemo(execution);
    const nonce = pending.find((input) => input.inputId === inputId)?.nonce;
    if (nonce !== undefined) return { nonce };
    return await this.#query<NonceReply, [object]>(
      queryNames.nonce,
      { inputId },
      timeouts.logQuery,
    );
  }

  /** What is open, from the memo where that lists all of it: no worker has to replay the run to tell. */
  async open(): Promise<Pick<RunState, 'status' | 'pending'>> {
    const execution = await this.describe();
    const memo = readable(execution.memo?.[memoKey]);
    return isJsonObject(memo) && memo['morePending'] === undefined
      ? stateFromMemo(execution)
      : await this.state();
  }

  /** Whether a worker answers for the run as it stands now. */
  async answers(): Promise<boolean> {
    const state = await this.#query<RunState>(queryNames.state, undefined, timeouts.logQuery);
    return state !== undefined;
  }

  /** The runs it called, as it tells itself; undefined when no worker answers in time. */
  async children(): Promise<readonly ChildView[] | undefined> {
    return await this.#query<readonly ChildView[]>(queryNames.children);
  }

  async describe(): Promise<WorkflowExecutionDescription> {
    try {
      return await this.#bounded(() =>
        this.#client.workflow.getHandle(this.#workflowId).describe(),
      );
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Entries from `from` on, as many as there are now. */
  async entries(from = 0): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (;;) {
      const page = await this.#page(from + entries.length);
      if (page === undefined) return (await this.#entriesOfHistory()).slice(from);
      entries.push(...page.entries);
      if (page.entries.length === 0 || from + entries.length >= page.length) return entries;
    }
  }

  async #entriesOfHistory(): Promise<LogEntry[]> {
    try {
      return await entriesFromHistory(this.#client, this.#workflowId);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** A long run that has ended is replayed whole to answer: a worker that is there gets more time than one that may not be. */
  async #page(from: number): Promise<LogPage | undefined> {
    const page = await this.#query<LogPage, [LogQuery]>(queryNames.log, { from });
    if (page !== undefined || !this.#asksWorker) return page;
    const { taskQueue } = await this.describe();
    const isServed = await hasWorker(this.#client, taskQueue).catch((error: unknown) => {
      throw this.#explain(error);
    });
    if (!isServed) return undefined;
    return await this.#query<LogPage, [LogQuery]>(queryNames.log, { from }, timeouts.logQuery);
  }

  /** Undefined when no worker answers in time. */
  async #query<Answer, Args extends unknown[] = []>(
    name: string,
    arg?: Args[0],
    timeoutMs: number = timeouts.serverCheck,
  ): Promise<Answer | undefined> {
    if (!this.#asksWorker) return undefined;
    try {
      const handle = this.#client.workflow.getHandle(this.#workflowId);
      const args = (arg === undefined ? [] : [arg]) as Args;
      return readable(
        await this.#bounded(() => handle.query<Answer, Args>(name, ...args), timeoutMs),
      );
    } catch (error) {
      if (hasGrpcStatus(error, ...unanswered)) return undefined;
      if (error instanceof QueryNotRegisteredError) return await this.#knowsNoQuery(error);
      throw this.#explain(error);
    }
  }

  /** A run that failed before it began has nothing to tell but what the server keeps. */
  async #knowsNoQuery(error: Error): Promise<undefined> {
    const { type, status } = await this.describe();
    if (isOurs(type) && status.name === 'FAILED') return undefined;
    throw await this.unanswerable(error);
  }

  async #bounded<Answer>(
    call: () => Promise<Answer>,
    timeoutMs: number = timeouts.serverCheck,
  ): Promise<Answer> {
    return await this.#client.withDeadline(Date.now() + timeoutMs, call);
  }

  #explain(error: unknown): LonghaulError {
    if (isNotFound(error))
      return new LonghaulError('RunNotFound', `there is no run '${this.#workflowId}'`, {
        cause: error,
      });
    return asLonghaulError(error);
  }

  /** Why a workflow does not take what every run takes: it is none of ours, or fails. */
  async unanswerable(error: Error): Promise<LonghaulError> {
    const { type } = await this.describe();
    if (!isOurs(type)) return notOurs(this.#workflowId, type, error);
    const failure = await readTaskFailure(this.#client, this.#workflowId).catch(() => undefined);
    const message = `run '${this.#workflowId}' does not answer: ${reasonOf(error, failure)}`;
    return new LonghaulError('InternalError', message, { cause: error });
  }
}

/** Only what the history says is said of the worker's code. */
function reasonOf(error: Error, failure: WorkflowTaskFailure | undefined): string {
  if (failure?.isNondeterminism === true)
    return `the code of its worker does not fit what the run did before, as after a deploy of another version (${failure.message})`;
  if (failure !== undefined) return `its workflow task fails (${failure.message})`;
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function isOurs(type: string): boolean {
  return kindOfType(type) !== undefined;
}

function notOurs(workflowId: string, type: string, cause: Error): LonghaulError {
  const message = `'${workflowId}' is not a Longhaul run: it is a workflow of type '${type}'. Check the id`;
  return new LonghaulError('RunNotFound', message, {
    cause,
    details: { workflowId, workflowType: type },
  });
}

function isStopped({ status }: WorkflowExecutionDescription): boolean {
  return status.name === 'TERMINATED' || status.name === 'TIMED_OUT';
}

/** As the server says, whatever the run last told of itself. */
export function hasClosed({ status }: { readonly status: { readonly name: string } }): boolean {
  return closedStatus[status.name] !== undefined;
}

export function hasEnded(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** What `describe` and `list` say of a run, with no worker: counters are not among it. */
export function stateFromMemo(execution: {
  readonly runId: string;
  readonly memo?: Record<string, unknown>;
  readonly status: { readonly name: string };
}): RunState {
  const memo = memoOf(execution);
  const status = closedStatus[execution.status.name] ?? memo.status;
  const pending = status === 'needs-input' ? (memo.pending ?? []) : [];
  return {
    status,
    pauseSeq: memo.pauseSeq ?? 0,
    runner: memo.agent,
    path: memo.path ?? memo.agent,
    runId: execution.runId,
    turn: 0,
    iterations: 0,
    usage: emptyUsage,
    pending,
    logLength: 0,
    rejected: [],
  };
}

/** Anybody may start a run with any memo, and one that is malformed must not end a list of all. */
export function memoOf(execution: { readonly memo?: Record<string, unknown> }): RunMemo {
  const memo = execution.memo?.[memoKey];
  if (!isJsonObject(memo) || typeof memo['agent'] !== 'string') {
    return { status: 'running', agent: 'unknown' };
  }
  const { pending = [], ...rest } = memo;
  const isList = Array.isArray(pending) && pending.every(isJsonObject);
  return (isList ? memo : rest) as unknown as RunMemo;
}

/** One entry of a run's log as it is added; `index` is where it stands. */
export type RunEvent = { readonly index: number; readonly entry: LogEntry };

/** Yields entries as they come and ends with the run. Asks less often while nothing happens. */
export async function* followLog(
  view: RunView,
  options: { from?: number; signal?: AbortSignal },
): AsyncGenerator<RunEvent, void, void> {
  const { signal } = options;
  let next = Math.max(0, options.from ?? 0);
  let pauseMs = shortestPauseMs;
  for (;;) {
    const { status } = await view.state();
    const entries = await view.entries(next);
    for (const entry of entries) {
      yield { index: next, entry };
      next += 1;
    }
    if (hasEnded(status)) return;
    pauseMs = entries.length > 0 ? shortestPauseMs : Math.min(pauseMs * 1.5, timeouts.eventsPause);
    if (!(await pause(pauseMs, signal))) return;
  }
}

/** False when the signal ended the pause. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return false;
  return await new Promise((resolve) => {
    const timer = setTimeout(() => finish(true), ms);
    const stop = (): void => finish(false);
    const finish = (goesOn: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(goesOn);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
