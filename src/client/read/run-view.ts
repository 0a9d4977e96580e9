// Reads a run: from its worker by query, or from the server's memo, status and history.

import {
  type Client,
  QueryNotRegisteredError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { emptyUsage } from '../../core/budget/usage';
import { tellsOfOtherVersion } from '../../core/stored-format';
import {
  type Actor,
  allWorkflowTypes,
  type ChildView,
  hasEnded,
  type LogEntry,
  type LogPage,
  type LogQuery,
  LonghaulError,
  memoKey,
  type NonceReply,
  queryNames,
  type RunMemo,
  type RunState,
  type RunStatus,
  timeouts,
} from '../../protocol';
import { defined, grpcStatus, isJsonObject } from '../../base';
import {
  asLonghaulError,
  hasGrpcStatus,
  isNotFound,
  isNotReady,
  readable,
  runNotFound,
} from '../server/failures';
import { entriesFromHistory, readTaskFailure, type WorkflowTaskFailure } from '../timeline/history';
import { placeOf } from '../../server';
import { askInTime, inTime } from '../server/calls';
import { hasWorker } from '../server/workers';

const closedStatus: Readonly<Record<string, RunStatus>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  TERMINATED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
};

/** The server's codes if no worker answered in time. It is `cancelled` if the deadline passed during the server's own retry. */
const unanswered = [
  grpcStatus.cancelled,
  grpcStatus.deadlineExceeded,
  grpcStatus.failedPrecondition,
] as const;

export type ReadOptions = {
  /** Do not ask a worker. Memo and history lack the counters, the run's own decisions and people's answers. Default false. */
  readonly withoutWorker?: boolean;
};

export type ViewOptions = ReadOptions & {
  /** Resolves when the run exists: a queued turn has no run yet. */
  readonly started?: () => Promise<void>;
  /** Who acts if a call has no `by`. */
  readonly actor?: Actor | undefined;
};

export class RunView {
  readonly #client: Client;
  readonly #workflowId: string;
  readonly #asksWorker: boolean;
  readonly #started: ViewOptions['started'];

  constructor(client: Client, workflowId: string, options: ViewOptions = {}) {
    this.#client = client;
    this.#workflowId = workflowId;
    this.#asksWorker = options.withoutWorker !== true;
    this.#started = options.started;
  }

  /** Also uses the server's status: a run that was terminated or timed out does not know that it has ended. */
  async state(): Promise<RunState> {
    return (await this.look()).state;
  }

  /** The state, and how the server describes the run. */
  async look(): Promise<{
    readonly state: RunState;
    readonly execution: WorkflowExecutionDescription;
  }> {
    const [state, execution] = await Promise.all([
      this.#query<RunState>(queryNames.state),
      this.describe(),
    ]);
    if (state === undefined) {
      // The memo from before the wait for a worker may have an input that was answered meanwhile.
      const latest = this.#asksWorker ? await this.describe() : execution;
      return { state: stateFromMemo(latest), execution: latest };
    }
    if (!isStopped(execution) || hasEnded(state.status)) return { state, execution };
    return { state: { ...state, status: 'failed', pending: [] }, execution };
  }

  /**
   * The nonce of an input; the update ids of its answers derive from it. Reads the memo if it has the nonce, so that no worker has to
   * replay the run. Undefined if no worker answers in time.
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

  /** The open inputs. Reads the memo if it lists all of them, so that no worker has to replay the run. */
  async open(): Promise<Pick<RunState, 'status' | 'pending'>> {
    const execution = await this.describe();
    const memo = readable(execution.memo?.[memoKey]);
    return isJsonObject(memo) && memo['morePending'] === undefined
      ? stateFromMemo(execution)
      : await this.state();
  }

  /** Whether a worker answers for the run now. */
  async answers(): Promise<boolean> {
    return (await this.stateOfWorker(timeouts.logQuery)) !== undefined;
  }

  /** The state as the run itself knows it. Undefined if no worker answers in time. */
  async stateOfWorker(timeoutMs?: number): Promise<RunState | undefined> {
    return await this.#query<RunState>(queryNames.state, undefined, timeoutMs);
  }

  /** The hash of the definition that the run pinned. Undefined if no worker answers in time. */
  async definitionHash(): Promise<string | undefined> {
    const definition = await this.#query<{ readonly hash: string } | null>(queryNames.definition);
    return definition?.hash;
  }

  /** A page of the log, as the run itself knows it. Undefined if no worker answers in time. */
  async pageOfWorker(from: number, timeoutMs?: number): Promise<LogPage | undefined> {
    return await this.#query<LogPage, [LogQuery]>(queryNames.log, { from }, timeoutMs);
  }

  /** The child runs, as the run itself knows them. Undefined if no worker answers in time. */
  async children(): Promise<readonly ChildView[] | undefined> {
    return await this.#query<readonly ChildView[]>(queryNames.children);
  }

  async describe(): Promise<WorkflowExecutionDescription> {
    await this.#started?.();
    try {
      const handle = this.#client.workflow.getHandle(this.#workflowId);
      return await inTime(this.#client, () => handle.describe());
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** All current log entries from `from` on. */
  async entries(from = 0): Promise<LogEntry[]> {
    return (await this.read(from)).entries;
  }

  /** Like `entries`. `isWhole` is false if no worker answered, so that the entries come from history. */
  async read(from = 0): Promise<{ readonly entries: LogEntry[]; readonly isWhole: boolean }> {
    const entries = await this.entriesOfWorker(from);
    if (entries !== undefined) return { entries, isWhole: true };
    return { entries: (await this.entriesOfHistory()).slice(from), isWhole: false };
  }

  /** Undefined if no worker answers. By default it waits for one that is busy. */
  async entriesOfWorker(
    from: number,
    pageFrom = (at: number): Promise<LogPage | undefined> => this.#page(at),
  ): Promise<LogEntry[] | undefined> {
    const entries: LogEntry[] = [];
    for (;;) {
      const page = await pageFrom(from + entries.length);
      if (page === undefined) return undefined;
      entries.push(...page.entries);
      if (page.entries.length === 0 || from + entries.length >= page.length) return entries;
    }
  }

  /** The entries in history. It lacks what only a worker knows, such as answers of people. */
  async entriesOfHistory(): Promise<LogEntry[]> {
    try {
      return await entriesFromHistory(this.#client, this.#workflowId);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** A worker replays a long run that has ended before it answers, so a worker that polls gets more time. */
  async #page(from: number): Promise<LogPage | undefined> {
    const page = await this.pageOfWorker(from);
    if (page !== undefined || !this.#asksWorker) return page;
    const place = placeOf(await this.describe());
    const isServed = await hasWorker(this.#client, place).catch((error: unknown) => {
      throw this.#explain(error);
    });
    if (!isServed) return undefined;
    return await this.#query<LogPage, [LogQuery]>(queryNames.log, { from }, timeouts.logQuery);
  }

  /** Undefined if no worker answers in time. */
  async #query<Answer, Args extends unknown[] = []>(
    name: string,
    arg?: Args[0],
    timeoutMs: number = timeouts.serverCheck,
  ): Promise<Answer | undefined> {
    if (!this.#asksWorker) return undefined;
    await this.#started?.();
    try {
      const handle = this.#client.workflow.getHandle(this.#workflowId);
      const args = (arg === undefined ? [] : [arg]) as Args;
      return readable(
        await askInTime(this.#client, () => handle.query<Answer, Args>(name, ...args), timeoutMs),
      );
    } catch (error) {
      if (hasGrpcStatus(error, ...unanswered)) return undefined;
      if (error instanceof QueryNotRegisteredError) return await this.#knowsNoQuery(error);
      throw this.#explain(error);
    }
  }

  /** A run that failed before it began answers no query; only the server knows about it. */
  async #knowsNoQuery(error: Error): Promise<undefined> {
    const { type, status } = await this.describe();
    if (isOurs(type) && status.name === 'FAILED') return undefined;
    throw await this.unanswerable(error);
  }

  #explain(error: unknown): LonghaulError {
    return isNotFound(error) ? runNotFound(this.#workflowId, error) : asLonghaulError(error);
  }

  /**
   * Explains why a workflow does not answer as a run does: it is not a Longhaul run, its task fails, its last tasks timed out, or only a
   * worker of another version can answer.
   */
  async unanswerable(error: Error): Promise<LonghaulError> {
    const { type } = await this.describe();
    if (!isOurs(type)) return notOurs(this.#workflowId, type, error);
    const failure = await readTaskFailure(this.#client, this.#workflowId).catch(() => undefined);
    if (failure === undefined && isNotReady(error)) return asLonghaulError(error);
    const message = `run '${this.#workflowId}' does not answer: ${reasonOf(error, failure)}`;
    const retryable = tellsOfOtherVersion(failure?.message ?? error.message);
    return new LonghaulError(retryable ? 'NoWorker' : 'InternalError', message, {
      cause: error,
      retryable,
    });
  }
}

function reasonOf(error: Error, failure: WorkflowTaskFailure | undefined): string {
  if (failure?.cause === 'nondeterminism')
    return `its worker's code does not match the run's history. Was another version deployed? (${failure.message})`;
  if (failure !== undefined) return `its workflow task fails (${failure.message})`;
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function isOurs(type: string): boolean {
  return allWorkflowTypes.includes(type);
}

export function notOurs(workflowId: string, type: string, cause?: Error): LonghaulError {
  const message = `'${workflowId}' is not a Longhaul run: it is a workflow of type '${type}'. Check the id, or ask with the version that started it`;
  return new LonghaulError('RunNotFound', message, {
    ...defined({ cause }),
    details: { workflowId, workflowType: type },
  });
}

function isStopped({ status }: WorkflowExecutionDescription): boolean {
  return status.name === 'TERMINATED' || status.name === 'TIMED_OUT';
}

/** Whether the server has closed the execution. */
export function hasClosed({ status }: { readonly status: { readonly name: string } }): boolean {
  return closedStatus[status.name] !== undefined;
}

/** The state from a description or list entry, without a worker: the counters are 0. */
export function stateFromMemo(execution: {
  readonly runId: string;
  readonly memo?: Record<string, unknown>;
  readonly status: { readonly name: string };
}): RunState {
  const memo = memoOf(execution);
  const status = closedStatus[execution.status.name] ?? memo.status ?? 'running';
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

/** Anybody may start a run with any memo. A malformed one must not break a list of all runs. */
export function memoOf(execution: { readonly memo?: Record<string, unknown> }): RunMemo {
  const memo = execution.memo?.[memoKey];
  if (!isJsonObject(memo) || typeof memo['agent'] !== 'string') {
    return { agent: 'unknown' };
  }
  const { pending = [], ...rest } = memo;
  const isList = Array.isArray(pending) && pending.every(isJsonObject);
  return (isList ? memo : rest) as unknown as RunMemo;
}

/** One entry of a run's log, with its index in the log. */
export type RunEvent = { readonly index: number; readonly entry: LogEntry };
