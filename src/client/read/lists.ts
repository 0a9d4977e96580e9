// Lists runs and threads from the server's list with their memos. Needs no worker.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defined, grpcStatus, isJsonObject } from '../../base';
import {
  type RetriedCall,
  retryingMemoKey,
  type RunMemo,
  type RunStatus,
  type ThreadKey,
  threadMemoKey,
  threadType,
  whereType,
  workflowTypes,
} from '../../protocol';
import { asLonghaulError, hasGrpcStatus } from '../server/failures';
import { memoOf, stateFromMemo } from './run-view';
import { type SearchIndex, Whose, type WhoseFilter, windows } from '../server/executions';

/** One line of a list of runs. */
export type RunSummary = {
  readonly workflowId: string;
  readonly runId: string;
  readonly agent: string;
  readonly status: RunStatus;
  readonly startTime: string;
  readonly closeTime?: string;
  /** Only for child runs and turns of threads: the path from the root run or thread. */
  readonly path?: string;
  readonly pending: NonNullable<RunMemo['pending']>;
  /** A call of the run, or of an open run below it, that fails and is tried again. */
  readonly retrying?: RetriedCall;
};

export type RunsFilter = WhoseFilter & {
  readonly status?: RunStatus;
  /** Also child runs and the turns of threads. Default false. */
  readonly children?: boolean;
};

/** Lists the newest first, sorted within a thousand: the server lists open runs, then the others by their end. */
export async function* listRuns(
  index: SearchIndex,
  filter: RunsFilter,
): AsyncGenerator<RunSummary, void, void> {
  const whose = new Whose(filter, ['status', 'children']);
  const { status, children = false } = filter;
  const query = whereType(Object.values(workflowTypes));
  const retries = new Retries();
  for await (const executions of windows(index.list(query, whose))) {
    executions.forEach((execution) => retries.add(execution));
    for (const execution of executions.sort(byStart)) {
      const summary = { ...summarize(execution), ...retries.of(execution) };
      if (summary.path !== undefined && !children) continue;
      if (status !== undefined && summary.status !== status) continue;
      yield summary;
    }
  }
}

function byStart(left: WorkflowExecutionInfo, right: WorkflowExecutionInfo): number {
  return right.startTime.getTime() - left.startTime.getTime();
}

/** The retried calls of the runs of a list. The server lists a run after the open runs below it, because it began first. */
class Retries {
  readonly #worst = new Map<string, RetriedCall>();

  /** Adds a run's retried call for the run itself and for the root above it. */
  add(execution: WorkflowExecutionInfo): void {
    const { workflowId, rootExecution } = execution;
    const call = retriedOf(execution);
    if (call === undefined) return;
    for (const id of new Set([workflowId, rootExecution?.workflowId ?? workflowId])) {
      const known = this.#worst.get(id);
      if (known === undefined || known.failures < call.failures) this.#worst.set(id, call);
    }
  }

  of({ workflowId, status }: WorkflowExecutionInfo): { readonly retrying?: RetriedCall } {
    const retrying = this.#worst.get(workflowId);
    return retrying === undefined || status.name !== 'RUNNING' ? {} : { retrying };
  }
}

/** Anybody may start a run with any memo. */
function retriedOf({ memo, status }: WorkflowExecutionInfo): RetriedCall | undefined {
  const call = memo?.[retryingMemoKey];
  if (status.name !== 'RUNNING' || !isJsonObject(call)) return undefined;
  const { what, failures, lastError, since } = call;
  const isWhole = [what, lastError, since].every((text) => typeof text === 'string');
  return isWhole && typeof failures === 'number' ? (call as RetriedCall) : undefined;
}

function summarize(execution: WorkflowExecutionInfo): RunSummary {
  const { status, runner } = stateFromMemo(execution);
  const { path, pending = [] } = memoOf(execution);
  return {
    workflowId: execution.workflowId,
    runId: execution.runId,
    agent: runner,
    status,
    startTime: execution.startTime.toISOString(),
    ...(execution.closeTime && { closeTime: execution.closeTime.toISOString() }),
    ...defined({ path }),
    pending: status === 'needs-input' ? pending : [],
  };
}

/** The number of threads in one query. */
const askedThreads = 100;

/** One line of a list of threads. */
export type ThreadSummary = Pick<RunSummary, 'agent' | 'pending' | 'startTime' | 'retrying'> & {
  readonly threadId: string;
  /** `idle`: no turn works or waits. */
  readonly status: RunStatus | 'idle';
  /** Missing if another program started the thread. */
  readonly key?: ThreadKey;
};

export type ThreadsFilter = Pick<WhoseFilter, 'agent'> & Partial<ThreadKey>;

/** Open threads, the newest first. */
export async function* listThreads(
  index: SearchIndex,
  filter: ThreadsFilter,
): AsyncGenerator<ThreadSummary, void, void> {
  const { agent, ...key } = filter;
  const whose = new Whose({
    ...defined({ agent }),
    ...(Object.keys(key).length > 0 && { key }),
  });
  const query = `WorkflowType = '${threadType}' AND ExecutionStatus = 'Running'`;
  for await (const executions of windows(index.list(query, whose), askedThreads)) {
    const retries = new Retries();
    const busy = await threadsWithTurn(index.client, executions, retries);
    for (const execution of executions) {
      retries.add(execution);
      yield { ...summarizeThread(execution, busy), ...retries.of(execution) };
    }
  }
}

/**
 * The memo of a thread does not list its turns, because every change of the memo is an event. So this asks the server for the runs of the
 * turns.
 */
async function threadsWithTurn(
  client: Client,
  threads: readonly WorkflowExecutionInfo[],
  retries: Retries,
): Promise<ReadonlySet<string>> {
  const ids = threads.map(({ workflowId }) => workflowId);
  if (ids.length === 0) return new Set();
  const list = ids.map((id) => `'${id.replaceAll("'", "''")}'`).join(', ');
  const query = `ParentWorkflowId IN (${list}) AND ExecutionStatus = 'Running'`;
  const busy = new Set<string>();
  try {
    for await (const turn of client.workflow.list({ query })) {
      busy.add(turn.parentExecution?.workflowId ?? '');
      retries.add(turn);
    }
    return busy;
  } catch (error) {
    // An old server does not know the parent of a run.
    if (hasGrpcStatus(error, grpcStatus.invalidArgument)) return new Set(ids);
    throw asLonghaulError(error);
  }
}

function summarizeThread(
  execution: WorkflowExecutionInfo,
  busy: ReadonlySet<string>,
): ThreadSummary {
  const { status: known, runner: agent } = stateFromMemo(execution);
  const status = known === 'running' && !busy.has(execution.workflowId) ? 'idle' : known;
  const pending = status === 'needs-input' ? (memoOf(execution).pending ?? []) : [];
  const key = execution.memo?.[threadMemoKey];
  return {
    threadId: execution.workflowId,
    ...(isJsonObject(key) && { key: key as ThreadKey }),
    agent,
    status,
    startTime: execution.startTime.toISOString(),
    pending,
  };
}
