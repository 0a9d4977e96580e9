// Runs and threads, as the server lists them with their memos. Needs no worker.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isJsonObject } from '../base/json';
import { threadMemoKey, threadType, whereType, workflowTypes } from '../protocol/names';
import type { ThreadKey } from '../protocol/thread';
import type { RunMemo, RunStatus } from '../protocol/run';
import { memoOf, stateFromMemo } from './run-view';
import { type SearchIndex, Whose, type WhoseFilter, windows } from './executions';

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
};

export type RunsFilter = WhoseFilter & {
  readonly status?: RunStatus;
  /** Also child runs and the turns of threads. Default false. */
  readonly children?: boolean;
};

/** The newest first, sorted within a thousand: the server lists open runs, then the others by their end. */
export async function* listRuns(
  index: SearchIndex,
  filter: RunsFilter,
): AsyncGenerator<RunSummary, void, void> {
  const whose = new Whose(filter, ['status', 'children']);
  const { status, children = false } = filter;
  const query = whereType(Object.values(workflowTypes));
  for await (const executions of windows(index.list(query, whose))) {
    for (const execution of executions.sort(byStart)) {
      const summary = summarize(execution);
      if (summary.path !== undefined && !children) continue;
      if (status !== undefined && summary.status !== status) continue;
      yield summary;
    }
  }
}

function byStart(left: WorkflowExecutionInfo, right: WorkflowExecutionInfo): number {
  return right.startTime.getTime() - left.startTime.getTime();
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
    ...(path !== undefined && { path }),
    pending: status === 'needs-input' ? pending : [],
  };
}

/** One line of a list of threads. */
export type ThreadSummary = Pick<RunSummary, 'agent' | 'status' | 'pending' | 'startTime'> & {
  readonly threadId: string;
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
    ...(agent !== undefined && { agent }),
    ...(Object.keys(key).length > 0 && { key }),
  });
  const query = `WorkflowType = '${threadType}' AND ExecutionStatus = 'Running'`;
  for await (const execution of index.list(query, whose)) yield summarizeThread(execution);
}

function summarizeThread(execution: WorkflowExecutionInfo): ThreadSummary {
  const { status, runner: agent } = stateFromMemo(execution);
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
