// Runs, as the server lists them: read from their memos, so that no worker is needed.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { whereType, workflowTypes } from '../protocol/names';
import type { RunMemo, RunStatus } from '../protocol/run';
import { memoOf, stateFromMemo } from './run-view';
import type { SearchIndex } from './search-index';
import { Whose, type WhoseFilter } from './whose-filter';

/** One line of a list of runs. */
export type RunSummary = {
  readonly workflowId: string;
  readonly runId: string;
  readonly agent: string;
  readonly status: RunStatus;
  readonly startTime: string;
  readonly closeTime?: string;
  /** Of a run that another one called, or a thread's turn: where it hangs below it. */
  readonly path?: string;
  readonly pending: NonNullable<RunMemo['pending']>;
};

export type RunsFilter = WhoseFilter & {
  readonly status?: RunStatus;
  /** Also those that other runs called, and the turns of threads. Default false. */
  readonly children?: boolean;
};

/** The newest first. */
export async function* listRuns(
  index: SearchIndex,
  filter: RunsFilter,
): AsyncGenerator<RunSummary, void, void> {
  const whose = new Whose(filter, ['status', 'children']);
  const { status, children = false } = filter;
  const query = whereType(Object.values(workflowTypes));
  for await (const execution of index.list(query, whose.conditions)) {
    if (!whose.matches(memoOf(execution))) continue;
    const summary = summarize(execution);
    if (summary.path !== undefined && !children) continue;
    if (status !== undefined && summary.status !== status) continue;
    yield summary;
  }
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
