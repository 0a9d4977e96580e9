import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { isJsonObject } from '../base';
import { type Step, stepOf } from '../client/index';
import { memoKey } from '../protocol';

const nothing: NextEvent = { kind: 'nothing' };

/** Real time between two polls of a run that works or waits for somebody. */
const lookEveryMs = 10;

/** The server does not report when it retries. Time goes on in these steps, plus a tenth of the wait so far. */
const retryStepMs = 1_000;

export type SkippedTime = {
  readonly env: TestWorkflowEnvironment;
  /** A client that does not skip time in `result`. */
  readonly client: Client;
  readonly workflowId: string;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
};

/**
 * Waits for a promise about a run. Skips time while the run only waits for a timer or a retry. It never skips time while somebody awaits a
 * result: the server would jump past the run's pause, to the deadline of the question.
 */
export async function stepTimeUntil<Result>(
  awaited: Promise<Result>,
  { env, client, workflowId, signal }: SkippedTime,
): Promise<Result> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  awaited.then(settle, settle);
  let retryingMs = 0;
  while (!settled) {
    signal?.throwIfAborted();
    const next = await nextEvent(client, workflowId);
    if (settled) break;
    const step = await stepTo(next, env, retryingMs);
    retryingMs = next.kind === 'retry' ? retryingMs + step : 0;
    if (step === 0) await Promise.race([awaited.catch(() => undefined), delay(lookEveryMs)]);
  }
  return awaited;
}

/** Skips time to the next event, and returns how much: 0 if time does not bring the event. */
async function stepTo(
  next: NextEvent,
  env: TestWorkflowEnvironment,
  retryingMs: number,
): Promise<number> {
  if (next.kind === 'work' || next.kind === 'nothing') return 0;
  const step =
    next.kind === 'retry'
      ? Math.max(retryStepMs, retryingMs / 10)
      : Math.max(1, next.at - (await env.currentTimeMs()));
  await env.sleep(step);
  return step;
}

/** The next event that a run and its children wait for. */
type NextEvent =
  /** Work is running, or will run in a moment. */
  | { readonly kind: 'work' }
  /** An activity waits for its retry. The server does not report the time. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'timer'; readonly at: number }
  /** Time does not bring the event: an answer, a signal, or the end. */
  | { readonly kind: 'nothing' };

/**
 * The next event of a run or of a run below it. Work comes first. A run that does not exist yet, such as a thread's turn or a child that
 * is about to start, counts as work.
 */
export async function nextEvent(client: Client, workflowId: string): Promise<NextEvent> {
  try {
    return await nextOf(client, workflowId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'work' };
    throw error;
  }
}

async function nextOf(client: Client, workflowId: string): Promise<NextEvent> {
  const handle = client.workflow.getHandle(workflowId);
  const description = await handle.describe();
  if (description.status.name !== 'RUNNING') return nothing;
  const history = await handle.fetchHistory();
  // Two reads are of the same moment only if they have the same number of events.
  if (description.historyLength !== history.events?.length) return { kind: 'work' };
  const { pendingActivities, pendingChildren } = description.raw;
  const attempts = (pendingActivities ?? []).map(({ attempt }) => attempt ?? 1);
  const steps = (history.events ?? []).map(stepOf);
  if (attempts.includes(1) || hasOpenTask(steps)) return { kind: 'work' };
  const children = (pendingChildren ?? []).map((child) =>
    nextEvent(client, child.workflowId ?? ''),
  );
  const own = attempts.length > 0 ? ({ kind: 'retry' } as const) : firstTimer(steps, description);
  return earliest([own, ...(await Promise.all(children))]);
}

function earliest(events: readonly NextEvent[]): NextEvent {
  const timers = events.filter((event) => event.kind === 'timer');
  return (
    events.find(({ kind }) => kind === 'work') ??
    events.find(({ kind }) => kind === 'retry') ??
    timers.sort((one, other) => one.at - other.at)[0] ??
    nothing
  );
}

/** A workflow task that is scheduled or running. */
function hasOpenTask(steps: readonly Step[]): boolean {
  const last = steps.findLast((step) => step.kind === 'task');
  return last !== undefined && last.status !== 'completed';
}

/** A paused run's timer is the deadline of its question. Only the test itself skips to it. */
function firstTimer(steps: readonly Step[], description: WorkflowExecutionDescription): NextEvent {
  if (isPaused(description)) return nothing;
  const open = new Map<number, number>();
  for (const step of steps) {
    if (step.kind === 'timer') open.set(step.id, Date.parse(step.at) + step.ms);
    if (step.kind === 'timer-end') open.delete(step.timer);
  }
  return open.size === 0 ? nothing : { kind: 'timer', at: Math.min(...open.values()) };
}

function isPaused({ memo }: WorkflowExecutionDescription): boolean {
  const shown: unknown = memo?.[memoKey];
  return isJsonObject(shown) && shown['status'] === 'needs-input';
}
