// The calls that a run has open, from the server's description of it. The server knows what a workflow cannot see: attempts, their errors,
// and whether a worker has taken a call. The names of calls come from history.
//
// 1. History is read from its end, and only so far: for calls that are retried or that nobody takes, and for a run with nothing open.
// 2. The run itself schedules a call again that no worker has the code for. Between two tries nothing is open, and only history has the call.
//    The search for a worker has about 250 events.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { defined, isJsonObject, oneLine } from '../../base';
import { calledName } from '../../protocol';
import { decode, errorOf, type Failure } from '../timeline/payloads';
import { lastStepsOf, type Step } from '../timeline/steps';
import { toDate } from '../../server';
import { stateFromMemo } from '../read/run-view';

const longestError = 300;

const longestName = 100;

/** In the server's API: `PENDING_ACTIVITY_STATE_STARTED` and `…_CANCEL_REQUESTED`. */
const takenStates: readonly unknown[] = [2, 3];

/** A call that failed and is tried again. */
export type Retrying = {
  /** `model openai/gpt-5`, `tool lookup`, or the activity's name. */
  readonly what: string;
  /** The run that makes the call: the run itself or one below it. */
  readonly workflowId: string;
  /** The attempt that runs or comes next. The first one is 1. */
  readonly attempt: number;
  /** Absent if no code of Longhaul's says what went wrong, for example after a timeout. */
  readonly code?: string;
  /** How a model's provider failed. */
  readonly kind?: string;
  /** One line of at most 300 bytes. */
  readonly lastError: string;
  /** When the run first made the call, in ISO 8601. Absent if that is too long ago in its history. */
  readonly since?: string;
  /** ISO 8601. Absent while the attempt runs. */
  readonly nextAt?: string;
};

/** A call that no worker has taken. */
export type UntakenCall = {
  readonly what: string;
  readonly taskQueue: string;
  /** ISO 8601. */
  readonly since: string;
};

type OpenCalls = {
  readonly retrying: readonly Retrying[];
  readonly untaken: readonly UntakenCall[];
};

type PendingActivity = NonNullable<
  WorkflowExecutionDescription['raw']['pendingActivities']
>[number];

type Scheduled = Step<'activity'>;

/** The calls that a run has open, or the one that it makes anew after a pause. `slowMs`: as for `openCalls`. */
export async function callsOf(
  client: Client,
  execution: WorkflowExecutionDescription,
  slowMs: number,
): Promise<OpenCalls> {
  const again = await callBetweenTries(client, execution);
  if (again !== undefined) return { retrying: [again], untaken: [] };
  return await openCalls(client, execution, slowMs);
}

/** Undefined unless the run's last call failed and the run pauses before it makes the call again. */
async function callBetweenTries(
  client: Client,
  execution: WorkflowExecutionDescription,
): Promise<Retrying | undefined> {
  if (!isIdle(execution)) return undefined;
  const { workflowId } = execution;
  const { failed, pause } = await readTail(client, workflowId);
  if (pause === undefined) return undefined;
  const tries = await Promise.all(
    failed.map(async ({ scheduled, failure }) => ({
      what: await callName(client, scheduled.name || 'a call', scheduled),
      at: scheduled.at,
      failure,
    })),
  );
  const own = tries.filter(({ what }) => what === tries[0]?.what);
  const [last, first] = [own.at(0), own.at(-1)];
  if (last === undefined || first === undefined) return undefined;
  return {
    what: last.what,
    workflowId,
    attempt: own.length + 1,
    ...(await lastError(client, last.failure)),
    since: first.at,
    nextAt: new Date(Date.parse(pause.at) + pause.ms).toISOString(),
  };
}

/** Nothing is open, and nobody is asked. */
function isIdle(execution: WorkflowExecutionDescription): boolean {
  const { pendingActivities, pendingChildren, pendingWorkflowTask } = execution.raw;
  const isBusy = pendingActivities?.length || pendingChildren?.length || pendingWorkflowTask;
  return !isBusy && stateFromMemo(execution).pending.length === 0;
}

/** The end of a history: the tries that failed, back to the last other end of a call, and the timer that runs since the last of them. */
async function readTail(client: Client, workflowId: string) {
  // The newest first.
  const failed: { readonly scheduled: Scheduled; readonly failure: Failure }[] = [];
  const failures = new Map<number, Failure>();
  const endedTimers = new Set<number>();
  let pause: Step<'timer'> | undefined;
  for await (const step of lastStepsOf(client, { workflowId })) {
    if (step.kind === 'timer-end') endedTimers.add(step.timer);
    if (step.kind === 'timer' && failures.size === 0 && !endedTimers.has(step.id)) pause ??= step;
    if (step.kind === 'end') {
      const isFailedTry = step.of === 'activity' && step.status === 'failed';
      if (!isFailedTry || pause === undefined) break;
      failures.set(step.call, step.failure);
    }
    if (step.kind === 'activity' && failures.has(step.id))
      failed.push({ scheduled: step, failure: failures.get(step.id) });
  }
  return { failed, pause };
}

/** `slowMs`: a call that no worker takes for so long is told of. */
async function openCalls(
  client: Client,
  { raw, workflowId, taskQueue }: WorkflowExecutionDescription,
  slowMs: number,
): Promise<OpenCalls> {
  const calls = raw.pendingActivities ?? [];
  const failing = calls.filter(({ attempt, lastFailure }) => (attempt ?? 1) > 1 && lastFailure);
  const untaken = calls.filter((call) => isUntaken(call, slowMs));
  if (failing.length + untaken.length === 0) return { retrying: [], untaken: [] };
  const ids = [...failing, ...untaken].map(({ activityId }) => activityId ?? '');
  const scheduled = await scheduledCalls(client, workflowId, new Set(ids));
  const nameOf = async ({ activityId, activityType }: PendingActivity): Promise<string> =>
    await callName(client, activityType?.name ?? 'a call', scheduled.get(activityId ?? ''));
  return {
    retrying: await Promise.all(
      failing.map(async (call) => ({
        what: await nameOf(call),
        workflowId,
        attempt: call.attempt ?? 1,
        ...(await lastError(client, call.lastFailure)),
        ...defined({ since: scheduled.get(call.activityId ?? '')?.at }),
        ...nextTry(call),
      })),
    ),
    untaken: await Promise.all(
      untaken.map(async (call) => ({
        what: await nameOf(call),
        taskQueue: scheduled.get(call.activityId ?? '')?.taskQueue ?? taskQueue,
        since: dueAt(call).toISOString(),
      })),
    ),
  };
}

function isUntaken(call: PendingActivity, slowMs: number): boolean {
  return !isTaken(call) && Date.now() - dueAt(call).getTime() >= slowMs;
}

/** Whether a worker makes the call now. */
export function isTaken({ state }: PendingActivity): boolean {
  return takenStates.includes(state);
}

/** When a worker could take the call. */
export function dueAt({ nextAttemptScheduleTime, scheduledTime }: PendingActivity): Date {
  return toDate(nextAttemptScheduleTime ?? scheduledTime);
}

function nextTry(call: PendingActivity): Pick<Retrying, 'nextAt'> {
  return isTaken(call) ? {} : { nextAt: dueAt(call).toISOString() };
}

/** Code, kind and message of a failure. */
async function lastError(
  client: Client,
  failure: Failure,
): Promise<Pick<Retrying, 'code' | 'kind' | 'lastError'>> {
  const error = await errorOf(client, failure);
  const text = { lastError: oneLine(error?.message ?? 'no reason', longestError) };
  if (!(error instanceof ApplicationFailure)) return text;
  const [details] = error.details ?? [];
  const kind = isJsonObject(details) ? details['kind'] : undefined;
  return {
    ...text,
    ...(error.type && { code: error.type }),
    ...(typeof kind === 'string' && { kind }),
  };
}

/** The beginnings of these calls, by the ids of the calls. Those far from the end are left out. */
async function scheduledCalls(
  client: Client,
  workflowId: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Scheduled>> {
  const found = new Map<string, Scheduled>();
  for await (const step of lastStepsOf(client, { workflowId })) {
    if (step.kind === 'activity' && ids.has(step.activityId)) found.set(step.activityId, step);
    if (found.size === ids.size) break;
  }
  return found;
}

/** A client without the key still says which kind of call it is. */
async function callName(
  client: Client,
  type: string,
  scheduled: Scheduled | undefined,
): Promise<string> {
  const text = await decode(client, scheduled?.summary).catch(() => undefined);
  return oneLine(calledName(type, text), longestName);
}
