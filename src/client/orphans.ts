// Runs that a reset left behind: still open, called by an execution that is no more. Nobody waits for what they give.

import type {
  Client,
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
} from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { whereType } from '../protocol/names';
import type { RunStatus } from '../protocol/run';
import { isNotFound } from './failures';
import { limited } from './calls';
import { memoOf, stateFromMemo } from './run-view';
import { Whose, type WhoseFilter } from './executions';

/** A run whose caller is gone, or went back to before it called. What hangs below it is not listed: it ends with it. */
export type OrphanRun = {
  readonly workflowId: string;
  readonly runId: string;
  readonly agent: string;
  /** Where it hung below its root run. */
  readonly path: string;
  readonly status: RunStatus;
  /** The run that called it. */
  readonly callerWorkflowId: string;
  readonly startTime: string;
};

type CalledRun = {
  readonly execution: WorkflowExecutionInfo;
  readonly path: string;
  readonly caller: Execution & { readonly runId: string };
};

type Execution = { readonly workflowId: string; readonly runId?: string };

/** Runs that the server is asked about at a time. */
const atATime = 10;
/** Each comes with its memo. */
const pageSize = 200;

/**
 * An open run whose calling execution is open as well is none: the server's list tells. Of the others the server is asked, for it
 * hands children that a reset keeps over to the new execution, which the list does not tell. Of the open runs the newest `most` are
 * looked at; `isAll` is false when there are more.
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
  const kept = new Set(
    (
      await Promise.all(callers.map((workflowId) => ask(() => childrenOf(client, { workflowId }))))
    ).flat(),
  );
  const left = suspects.filter(({ execution }) => !kept.has(execution.workflowId));
  const described = left.map(({ execution: { workflowId, runId } }) =>
    ask(() => describeExecution(client, { workflowId, runId })),
  );
  // The list is late to tell that a run has ended.
  const isOpen = (await Promise.all(described)).map((found) => found?.status.name === 'RUNNING');
  return { orphans: left.filter((_run, index) => isOpen[index]).map(toOrphan), isAll };
}

/** Open runs whose calling execution is not open. What a workflow of the user's own started has no path and is its own business. */
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

/** Workflow ids of the children that the newest execution of a run has open, or is starting. */
async function childrenOf(client: Client, run: Execution): Promise<readonly string[]> {
  const found = await describeExecution(client, run);
  if (found?.status.name !== 'RUNNING') return [];
  return (found.raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '');
}

async function describeExecution(
  client: Client,
  { workflowId, runId }: Execution,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflow.getHandle(workflowId, runId).describe(),
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
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
