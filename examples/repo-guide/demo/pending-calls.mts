import { setTimeout as sleep } from 'node:timers/promises';
import type { Longhaul } from 'longhaul/client';
import type { Screen } from '../../shared/screen.mts';

/** `PENDING_ACTIVITY_STATE_STARTED` of the server's API. */
const started = 2;
const pollMs = 50;
const pauseMs = 500;

type PendingCall = {
  readonly id: string;
  readonly type: string;
  readonly isUnderWay: boolean;
  readonly attempt: number;
  /** Why the attempt before failed. */
  readonly failure: string;
};

/** Model and tool calls of a run that are not finished, as the server knows them. Undefined: the run has ended. */
async function pendingCalls(
  longhaul: Longhaul,
  workflowId: string,
): Promise<PendingCall[] | undefined> {
  const { raw, status } = await longhaul.client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') return undefined;
  return (raw.pendingActivities ?? []).map((activity) => ({
    id: activity.activityId ?? '',
    type: activity.activityType?.name ?? '',
    isUnderWay: Number(activity.state) === started,
    attempt: activity.attempt ?? 1,
    failure: activity.lastFailure?.message ?? '',
  }));
}

/** Waits until a worker is in the middle of a model call. False: the run ended before. */
export async function modelCallUnderWay(longhaul: Longhaul, workflowId: string): Promise<boolean> {
  for (;;) {
    const calls = await pendingCalls(longhaul, workflowId);
    if (calls === undefined) return false;
    if (calls.some(({ type, isUnderWay }) => type === 'callModel' && isUnderWay)) return true;
    await sleep(pollMs);
  }
}

/** Tells of every call that is tried again, and why, until the run ends. */
export async function tellRetries(
  longhaul: Longhaul,
  workflowId: string,
  screen: Screen,
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const calls = await pendingCalls(longhaul, workflowId);
    if (calls === undefined) return;
    for (const { id, type, attempt, failure } of calls) {
      const key = `${id} ${attempt}`;
      if (attempt > 1 && !told.has(key))
        screen.line('retry', `${type}, attempt ${attempt}: ${failure}`, 'red');
      told.add(key);
    }
    await sleep(pauseMs);
  }
}
