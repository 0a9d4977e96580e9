// Runs, as the server lists them: read from their memos, so that no worker is needed.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { workflowTypes } from '../protocol/names';
import type { RunMemo, RunStatus } from '../protocol/run';
import { memoOf, stateFromMemo } from './run-view';

/** One line of a list of runs. */
export type RunSummary = {
  readonly runId: string;
  readonly executionRunId: string;
  readonly agent: string;
  readonly status: RunStatus;
  readonly startTime: string;
  readonly closeTime?: string;
  /** Of a run that another one called, or a thread's turn: where it hangs below it. */
  readonly path?: string;
  readonly pending: NonNullable<RunMemo['pending']>;
};

export type RunsFilter = {
  readonly agent?: string;
  readonly status?: RunStatus;
  /** Also those that other runs called, and the turns of threads. Default false. */
  readonly children?: boolean;
};

/** The newest first. */
export async function* listRuns(
  client: Client,
  { agent, status, children = false }: RunsFilter,
): AsyncGenerator<RunSummary, void, void> {
  const types = Object.values(workflowTypes).map((type) => `'${type}'`);
  const query = `WorkflowType IN (${types.join(', ')})`;
  for await (const execution of client.workflow.list({ query })) {
    const summary = summarize(execution);
    if (summary.path !== undefined && !children) continue;
    if (agent !== undefined && summary.agent !== agent) continue;
    if (status !== undefined && summary.status !== status) continue;
    yield summary;
  }
}

function summarize(execution: WorkflowExecutionInfo): RunSummary {
  const { status, runner } = stateFromMemo(execution);
  const { path, pending = [] } = memoOf(execution);
  return {
    runId: execution.workflowId,
    executionRunId: execution.runId,
    agent: runner,
    status,
    startTime: execution.startTime.toISOString(),
    ...(execution.closeTime && { closeTime: execution.closeTime.toISOString() }),
    ...(path !== undefined && { path }),
    pending: status === 'needs-input' ? pending : [],
  };
}
