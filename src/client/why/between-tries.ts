// A call that no worker has the code for is scheduled anew by the run itself. Between two tries nothing is open: only history tells of it.
//
// 1. Reads so many events from the end of history. What happened before them is not counted.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { protoMs } from '../../base/duration';
import { type HistoryEvent, lastEvents, timeOf } from '../timeline/history';
import { endedStep } from '../timeline/history-steps';
import { stateFromMemo } from '../read/run-view';
import { callName, lastError, openCalls, type OpenCalls, type Retrying } from './open-calls';

/** A search for a worker has about 250 events. */
const mostEvents = 500;

type Failure = Parameters<typeof lastError>[1];

type FailedTry = { readonly scheduled: HistoryEvent; readonly failure: Failure };

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
    failed.map(async (each) => ({ ...each, what: await nameOf(client, each.scheduled) })),
  );
  const own = tries.filter(({ what }) => what === tries[0]?.what);
  const [last, first] = [own.at(0), own.at(-1)];
  if (last === undefined || first === undefined) return undefined;
  return {
    what: last.what,
    workflowId,
    attempt: own.length + 1,
    ...(await lastError(client, last.failure)),
    since: timeOf(first.scheduled),
    nextAt: firesAt(pause),
  };
}

/** Nothing is open, and nobody is asked. */
function isIdle(execution: WorkflowExecutionDescription): boolean {
  const { pendingActivities, pendingChildren, pendingWorkflowTask } = execution.raw;
  const isBusy = pendingActivities?.length || pendingChildren?.length || pendingWorkflowTask;
  return !isBusy && stateFromMemo(execution).pending.length === 0;
}

async function readTail(client: Client, workflowId: string): Promise<Tail> {
  const tail = new Tail();
  let looked = 0;
  for await (const event of lastEvents(client, { workflowId })) {
    looked += 1;
    if (!tail.take(event) || looked === mostEvents) break;
  }
  return tail;
}

/** The end of a history: the tries that failed, back to the last other end of a call, and the timer that runs since the last of them. */
class Tail {
  /** The newest first. */
  readonly failed: FailedTry[] = [];
  pause: HistoryEvent | undefined;
  readonly #failures = new Map<number, Failure>();
  readonly #endedTimers = new Set<number>();

  /** Takes the next older event. False if those before it do not matter. */
  take(event: HistoryEvent): boolean {
    this.#takeTimer(event);
    const end = event.activityTaskFailedEventAttributes;
    if (end ? this.pause === undefined : endedStep(event) > 0) return false;
    if (end) this.#failures.set(Number(end.scheduledEventId), end.failure);
    const id = Number(event.eventId);
    if (this.#failures.has(id))
      this.failed.push({ scheduled: event, failure: this.#failures.get(id) });
    return true;
  }

  #takeTimer(event: HistoryEvent): void {
    const ended = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    if (ended) this.#endedTimers.add(Number(ended.startedEventId));
    if (!event.timerStartedEventAttributes || this.#failures.size > 0) return;
    if (!this.#endedTimers.has(Number(event.eventId))) this.pause ??= event;
  }
}

async function nameOf(client: Client, scheduled: HistoryEvent): Promise<string> {
  const { activityType } = scheduled.activityTaskScheduledEventAttributes ?? {};
  return await callName(client, activityType?.name ?? 'a call', scheduled);
}

function firesAt(timer: HistoryEvent): string {
  const ms = protoMs(timer.timerStartedEventAttributes?.startToFireTimeout);
  return new Date(Date.parse(timeOf(timer)) + ms).toISOString();
}
