// Takes a run back to before a turn or a step. First plans what the reset undoes, from the histories of the run and its child runs.
//
// 1. The run is halted first: it ends its calls and starts no new ones. The reset comes after all calls have closed.
// 2. The run goes back to a workflow task at which it had no open call, so that no call runs twice at once.
// 3. Signals and updates since then are not sent again: people answer again when the run asks again.

import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode, kindOfType, LonghaulError, signalNames, timeouts } from '../../protocol';
import { placeOf } from '../../server';
import { pause } from '../server/calls';
import { isNotFound } from '../server/failures';
import { RunView } from '../read/run-view';
import { noWorker } from '../server/workers';
import { type ResetPlan, ResetPlanner } from '../timeline/reset-plan';

export type ResetOptions = {
  /** For an agent, the number of a turn, from 1. Else a step, branch or task, as its path names it: `branch-2`. */
  readonly to: number | string;
  /** Called with the plan before anything changes. If it returns false, nothing changes. */
  readonly confirm?: (plan: ResetPlan) => boolean | Promise<boolean>;
  /** The history keeps it. */
  readonly reason?: string;
};

const pauseMs = 100;

/** The kinds of events that are not sent again: signals, updates, Nexus, cancellation requests. */
const notSentAgain = [1, 2, 3, 4];

export async function resetRun(
  client: Client,
  workflowId: string,
  { to, confirm, reason = `reset to ${to}` }: ResetOptions,
): Promise<ResetPlan | undefined> {
  checkTarget(to);
  const before = await new RunView(client, workflowId).describe();
  checkRun(before);
  const planned = await new ResetPlanner(client).plan(workflowId, to);
  if (confirm !== undefined && !(await confirm(planned))) return undefined;
  const run = before.status.name === 'RUNNING' ? await halt(client, workflowId) : before;
  checkRun(run);
  const plan = await new ResetPlanner(client).plan(workflowId, to);
  const reset = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: plan.runId },
    reason,
    requestId: randomUUID(),
    workflowTaskFinishEventId: plan.taskEventId,
    resetReapplyExcludeTypes: notSentAgain,
  } as unknown as Parameters<Client['workflowService']['resetWorkflowExecution']>[0]);
  if (run.parentExecution !== undefined) await checkCaller(client, run, reset.runId);
  // The root run or the thread lists this run's questions. It still counts a question as answered although the reset undid the answer.
  if (run.parentExecution !== undefined)
    await client.workflow.getHandle(workflowId).signal(signalNames.askAgain).catch(ignoreMissing);
  return plan;
}

function checkTarget(to: unknown): void {
  const isTurn = typeof to === 'number' && Number.isInteger(to) && to > 0;
  if (isTurn || (typeof to === 'string' && to !== '')) return;
  throw new LonghaulError(
    'InvalidInput',
    'to must be the number of a turn, from 1, or the name of a step',
  );
}

function checkRun(run: WorkflowExecutionDescription): void {
  const { workflowId, type, status, parentExecution } = run;
  if (!isRunType(type))
    throw new LonghaulError(
      'InvalidInput',
      `'${workflowId}' is a workflow of type '${type}', but only runs can be reset. In a thread, reset the run of a turn`,
    );
  if (status.name !== 'RUNNING' && parentExecution !== undefined) throw hasGoneOn(run);
}

/** The run may end by itself while it is being reset. Then nobody waits for the new execution, so it ends. */
async function checkCaller(
  client: Client,
  run: WorkflowExecutionDescription,
  newRunId: string | null | undefined,
): Promise<void> {
  const { workflowId, runId } = run;
  const { status } = await client.workflow.getHandle(workflowId, runId).describe();
  // The reset terminates the execution that it finds.
  if (status.name === 'TERMINATED') return;
  const handle = client.workflow.getHandle(workflowId, newRunId ?? undefined);
  await handle.cancel().catch(ignoreMissing);
  throw hasGoneOn(run);
}

function hasGoneOn({ workflowId, parentExecution }: WorkflowExecutionDescription): LonghaulError {
  const message = `run '${workflowId}' has ended, and its caller '${parentExecution?.workflowId}' has gone on. Reset the caller`;
  return new LonghaulError('RunClosed', message);
}

/**
 * Resolves when the run has no open call any more. Halts child runs first: a cancelled run closes while its calls still end, but a halted
 * run waits for them.
 */
async function halt(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  const view = new RunView(client, workflowId);
  const before = await view.describe();
  if (before.status.name !== 'RUNNING') return before;
  const children = (before.raw.pendingChildren ?? []).map((child) => child.workflowId ?? '');
  for (const child of children) await halt(client, child).catch(ignoreMissing);
  // It may end before the signal comes.
  await client.workflow.getHandle(workflowId).signal(signalNames.halt).catch(ignoreMissing);
  const deadline = Date.now() + timeouts.resetHalt;
  // The run answers only after it got the signal, so it has begun to end its open calls.
  if (!(await view.answers())) throw noWorker(placeOf(before), workflowId);
  // The server does not pass the cancellation on to a child that was reset itself.
  for (const child of children)
    await client.workflow.getHandle(child).cancel().catch(ignoreMissing);
  for (;;) {
    const run = await view.describe();
    const open = underWay(run);
    if (run.status.name !== 'RUNNING' || open.length === 0) return run;
    if (Date.now() > deadline) {
      const message = `run '${workflowId}' is halted, but these calls still run: ${open.slice(0, 10).join(', ')}. Nothing was reset. Try again later, or cancel the run`;
      throw new LonghaulError('InternalError', message, { retryable: true });
    }
    await pause(pauseMs);
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'RunNotFound') && !isNotFound(error)) throw error;
}

/** The open activities, without notices: a notice may come twice. */
function underWay({ raw }: WorkflowExecutionDescription): readonly string[] {
  const calls = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
  const awaited = calls.filter((name) => name !== 'notifyPause');
  return [...awaited, ...(raw.pendingChildren ?? []).map((child) => child.workflowId ?? '')];
}

function isRunType(type: string): boolean {
  return kindOfType(type) !== undefined;
}
