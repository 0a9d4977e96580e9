// Takes a run back to before a turn or a step, so that nothing it did since is still under way when it goes on.
//
// 1. The run is halted first: it ends what it called, and starts nothing more. All of that has closed before anything is reset.
// 2. What was said to it since is not said again: what it asks again is answered again.

import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode, LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { signalNames } from '../protocol/names';
import { isNotFound } from './failures';
import { isRunType, ResetPlanner, type ResetPlan } from './reset-plan';
import { RunView } from './run-view';
import { noWorker } from './worker-watch';

export type ResetOptions = {
  /** The turn of an agent, from 1 on; of another runner a step, branch or task, as its path says: `branch-2`. */
  readonly to: number | string;
  /** Is shown what would be undone, before anything changes; false leaves the run as it is. */
  readonly confirm?: (plan: ResetPlan) => boolean | Promise<boolean>;
  /** Kept in the history. */
  readonly reason?: string;
};

const pauseMs = 100;
/** Signals, updates, Nexus, cancellation requests. */
const notSaidAgain = [1, 2, 3, 4];

export async function resetRun(
  client: Client,
  workflowId: string,
  { to, confirm, reason = `reset to ${to}` }: ResetOptions,
): Promise<ResetPlan | undefined> {
  checkTarget(to);
  const run = await new RunView(client, workflowId).describe();
  checkRun(run);
  const planned = await new ResetPlanner(client).plan(workflowId, to);
  if (confirm !== undefined && !(await confirm(planned))) return undefined;
  if (run.status.name === 'RUNNING') checkRun(await halt(client, workflowId));
  const plan = await new ResetPlanner(client).plan(workflowId, to);
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: plan.runId },
    reason,
    requestId: randomUUID(),
    workflowTaskFinishEventId: plan.taskEventId,
    resetReapplyExcludeTypes: notSaidAgain,
  } as unknown as Parameters<Client['workflowService']['resetWorkflowExecution']>[0]);
  return plan;
}

function checkTarget(to: unknown): void {
  const isTurn = typeof to === 'number' && Number.isInteger(to) && to > 0;
  if (isTurn || (typeof to === 'string' && to !== '')) return;
  throw new LonghaulError('InvalidInput', 'to must be the number of a turn, from 1 on, or a step');
}

function checkRun({
  workflowId,
  type,
  status,
  parentExecution,
}: WorkflowExecutionDescription): void {
  if (!isRunType(type))
    throw new LonghaulError(
      'InvalidInput',
      `'${workflowId}' is a workflow of type '${type}': only runs can be reset. In a thread, reset the run of a turn`,
    );
  if (status.name === 'RUNNING' || parentExecution === undefined) return;
  throw new LonghaulError(
    'RunClosed',
    `run '${workflowId}' has ended, and '${parentExecution.workflowId}', which called it, has gone on: reset the caller`,
  );
}

/**
 * Resolves when nothing of the run is under way any more. What it called is halted before it: a run that is cancelled closes while the
 * attempts of its calls still end, one that is halted waits for them.
 */
async function halt(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  const view = new RunView(client, workflowId);
  const before = await view.describe();
  if (before.status.name !== 'RUNNING') return before;
  const children = (before.raw.pendingChildren ?? []).map((child) => child.workflowId ?? '');
  for (const child of children) await halt(client, child).catch(ignoreMissing);
  await client.workflow.getHandle(workflowId).signal(signalNames.halt);
  const deadline = Date.now() + timeouts.resetHalt;
  // Answered after the signal was: what the run still calls then, it has begun to end.
  if (!(await view.answers())) throw noWorker(before.taskQueue, workflowId);
  // Of a child that was reset itself the server does not hand the cancellation down.
  for (const child of children)
    await client.workflow.getHandle(child).cancel().catch(ignoreMissing);
  for (;;) {
    const run = await view.describe();
    const open = underWay(run);
    if (run.status.name !== 'RUNNING' || open.length === 0) return run;
    if (Date.now() > deadline) {
      const message = `run '${workflowId}' is halted, but these calls still run: ${open.slice(0, 10).join(', ')}. Nothing was reset: try again later, or cancel the run`;
      throw new LonghaulError('InternalError', message, { retryable: true });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'RunNotFound') && !isNotFound(error)) throw error;
}

function underWay({ raw }: WorkflowExecutionDescription): readonly string[] {
  const calls = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
  return [...calls, ...(raw.pendingChildren ?? []).map((child) => child.workflowId ?? '')];
}
