// Orphans: runs that a reset left behind. They are still open, but the execution that called them is gone, so nobody waits for them.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type RunStatus, whereType } from '../../protocol';
import { describeIfThere, limited } from './calls';
import { memoOf, stateFromMemo } from '../read/run-view';
import { Whose, type WhoseFilter } from './executions';

/**
 * An open run without a caller: the caller is gone, or was reset to before the call. The list leaves out the child runs of an orphan,
 * because they end with it.
 */
export type OrphanRun = {
  readonly workflowId: string;
  readonly runId: string;
  readonly agent: string;
  /** The path from its root run. */
  readonly path: string;
  readonly status: RunStatus;
  /** The run that called this one. */
  readonly callerWorkflowId: string;
  readonly startTime: string;
};

type CalledRun = {
  readonly execution: WorkflowExecutionInfo;
  readonly path: string;
  readonly caller: { readonly workflowId: string; readonly runId: string };
};

/** Runs to ask the server about at once. */
const atATime = 10;
const pageSize = 200;

/**
 * Looks at the newest `most` open runs; `isAll` is false if there are more. A run is no orphan if the list has the execution that called
 * it. For the others this asks the server: a reset may hand children over to the new execution, and the list does not show that.
 */
export async function findOrphans(
  client: Client,
  filter: WhoseFilter = {},
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly orphans: readonly OrphanRun[]; readonly isAll: boolean }> {
  const whose = new Whose(filter);
  const ask = limited(atATime);
  const { suspects, isAll } = await suspectsOf(client, whose, most);
  const callers = [...new Set(suspects.map(({ caller }) => caller.workflowId))];
  const children = callers.map((workflowId) => ask(() => childrenOf(client, workflowId)));
  const kept = new Set((await Promise.all(children)).flat());
  const left = suspects.filter(({ execution }) => !kept.has(execution.workflowId));
  const described = left.map(({ execution: { workflowId, runId } }) =>
    ask(() => describeIfThere(client, { workflowId, runId })),
  );
  // The list shows late that a run has ended.
  const isOpen = (await Promise.all(described)).map((found) => found?.status.name === 'RUNNING');
  return { orphans: left.filter((_run, index) => isOpen[index]).map(toOrphan), isAll };
}

/**
 * Open runs that were called by an execution that is not open. A run that a user's own workflow started has no path, and does not count.
 */
async function suspectsOf(
  client: Client,
  whose: Whose,
  most: number,
): Promise<{ readonly suspects: readonly CalledRun[]; readonly isAll: boolean }> {
  const query = `${whereType()} AND ExecutionStatus = 'Running'`;
  const open = new Set<string>();
  const called: CalledRun[] = [];
  let isAll = true;
  for await (const execution of client.workflow.list({ query, pageSize })) {
    isAll = open.size < most;
    if (!isAll) break;
    open.add(execution.runId);
    const { workflowId, runId } = execution.parentExecution ?? {};
    const memo = memoOf(execution);
    const { path } = memo;
    if (path === undefined || !workflowId || !runId || !whose.matches(memo)) continue;
    called.push({ execution, path, caller: { workflowId, runId } });
  }
  return { suspects: called.filter(({ caller }) => !open.has(caller.runId)), isAll };
}

/** Workflow ids of the children that the newest execution of a run has open or is starting. */
async function childrenOf(client: Client, workflowId: string): Promise<readonly string[]> {
  const found = await describeIfThere(client, { workflowId });
  if (found?.status.name !== 'RUNNING') return [];
  return (found.raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '');
}

function toOrphan({ execution, path, caller }: CalledRun): OrphanRun {
  const { status, runner } = stateFromMemo(execution);
  return {
    workflowId: execution.workflowId,
    runId: execution.runId,
    agent: runner,
    path,
    status,
    callerWorkflowId: caller.workflowId,
    startTime: execution.startTime.toISOString(),
  };
}
