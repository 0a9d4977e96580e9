// Takes runs back: to any earlier workflow task, as an operator does in Temporal's Web UI, or to a turn or a step, as Longhaul does.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { hasCode, LonghaulError } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';
import type { Open } from './stuck.mts';
import type { HistoryEvents } from './task-failures.mts';

const deadlineMs = 5_000;
/** As the server numbers what a reset leaves out: signals, updates, Nexus, requests to cancel. */
const updates = 2;
const all = [1, 2, 3, 4];
const runTypes: readonly string[] = [
  'agentWorkflow',
  'sequentialWorkflow',
  'parallelWorkflow',
  'graphWorkflow',
];
const unclear = [status.CANCELLED, status.DEADLINE_EXCEEDED, status.UNAVAILABLE];
const pauseMs = 500;
const away: readonly string[] = ['ServerUnavailable', 'NoWorker'];
/** A run that is halted goes on only when it is reset: whoever was cut off asks again for so long. */
const insistMs = 5 * 60_000;

/** Whether it was done: a run that has just started or ended cannot be reset, nor can any while the server is away. */
export async function resetRaw(
  longhaul: Longhaul,
  workflowId: string,
  draw: number,
): Promise<boolean> {
  // With updates said again, between signals, the SDK replays the run in another order and fails for ever.
  return await tryReset(longhaul, workflowId, { draw, without: [updates], isDue: () => true });
}

/** As `resetRaw`, for a run that somebody has asked to end: the new execution does not know of that. */
export async function resetIfCancelled(
  longhaul: Longhaul,
  workflowId: string,
  draw: number,
): Promise<boolean> {
  const isDue = (events: HistoryEvents): boolean =>
    events.some((event) => event.workflowExecutionCancelRequestedEventAttributes);
  return await tryReset(longhaul, workflowId, { draw, without: all, isDue });
}

/** As Longhaul's own reset does: the run above does not know that what was answered is open again. */
export async function tellToAskAgain(
  { client }: Longhaul,
  { workflowId }: Pick<Open, 'workflowId'>,
): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal('askAgain');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

type RawReset = {
  readonly draw: number;
  readonly without: readonly number[];
  readonly isDue: (events: HistoryEvents) => boolean;
};

async function tryReset(
  longhaul: Longhaul,
  workflowId: string,
  { draw, without, isDue }: RawReset,
): Promise<boolean> {
  const { client } = longhaul;
  let isSent = false;
  try {
    return await client.withDeadline(Date.now() + deadlineMs, async () => {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      const { events } = await fetchHistory(longhaul, workflowId);
      if (!isDue(events ?? [])) return false;
      const completed = (events ?? []).filter((one) => one.workflowTaskCompletedEventAttributes);
      const workflowTaskFinishEventId = completed[draw % Math.max(1, completed.length)]?.eventId;
      if (status.name !== 'RUNNING' || !workflowTaskFinishEventId) return false;
      isSent = true;
      await client.workflowService.resetWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId },
        reason: 'torture reset',
        requestId: randomUUID(),
        workflowTaskFinishEventId,
        resetReapplyExcludeTypes: [...without],
      });
      return true;
    });
  } catch (error) {
    // A server that goes away before it replies may have done it.
    return isSent && isGrpcServiceError(error) && unclear.includes(error.code);
  }
}

/** An open run of those: a root run, the run of a turn, or one below. */
export function chooseRun(open: readonly Open[], draw: number): Open | undefined {
  const runs = open
    .filter(({ type }) => runTypes.includes(type))
    .toSorted((left, right) => left.workflowId.localeCompare(right.workflowId));
  return runs[draw % Math.max(1, runs.length)];
}

/** Where it can be taken to, the likely ones first: not all of them exist. */
function targetsOf(type: string, draw: number): readonly (number | string)[] {
  if (type === 'agentWorkflow') return [1 + (draw % 4), 1];
  const number = 1 + (draw % 2);
  return [`step-${number}`, `branch-${number}`, `task${number}`, 'step-1', 'branch-1', 'task1'];
}

export type SafeReset = Open & {
  readonly draw: number;
  readonly report: (wrong: string) => void;
};

/** Whether it was done. What a person who resets should not meet is reported. */
export async function resetSafely(
  longhaul: Longhaul,
  { workflowId, type, draw, report }: SafeReset,
): Promise<boolean> {
  const targets = [...targetsOf(type, draw)];
  const deadline = Date.now() + insistMs;
  const wait = async (error: unknown): Promise<void> => {
    const isAway = LonghaulError.is(error) && (error.retryable || away.includes(error.code));
    if (!isAway) report(`the reset of ${workflowId} threw ${String(error)}`);
    if (Date.now() > deadline) throw error;
    await sleep(pauseMs);
  };
  for (;;) {
    const [to] = targets;
    if (to === undefined) return false;
    try {
      await longhaul.run(workflowId).reset({ to, reason: 'torture reset' });
      return true;
    } catch (error) {
      if (hasCode(error, 'RunClosed') || hasCode(error, 'RunNotFound')) return false;
      if (hasCode(error, 'InvalidInput')) targets.shift();
      else await wait(error);
    }
  }
}
