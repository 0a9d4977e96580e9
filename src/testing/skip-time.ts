import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { nextEvent, type NextEvent } from './next-event';

/** Real time between two looks at a run that works or waits for somebody. */
const lookEveryMs = 10;

/** The server does not say when it retries: time goes on in steps of this, and by a tenth of what was waited already. */
const retryStepMs = 1_000;

export type SkippedTime = {
  readonly env: TestWorkflowEnvironment;
  /** Any client whose `result` does not skip time. */
  readonly client: Client;
  readonly workflowId: string;
  /** Ends the stepping, whatever has been awaited by then. */
  readonly signal?: AbortSignal;
};

/**
 * Waits for a promise about a run and meanwhile skips the time in which the run only waits for a timer or a retry. Time is never
 * skipped while a result is awaited: the server would jump past the run's pause, to the deadline of the question.
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

/** Skips time towards what comes next and says how much; none when it does not come with time. */
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
