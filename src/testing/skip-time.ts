import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { nextEvent } from './next-event';

/** Real time between two looks at a run that works or waits for somebody. */
const lookEveryMs = 10;

/** The server does not say when it retries: time goes on in steps of this, and by a tenth of what was waited already. */
const retryStepMs = 1_000;

/**
 * Waits for a promise about a run and meanwhile skips the time in which the run only waits for a timer or a retry. Time is never
 * skipped while a result is awaited: the server would jump past the run's pause, to the deadline of the question.
 */
export async function stepTimeUntil<Result>(
  awaited: Promise<Result>,
  env: TestWorkflowEnvironment,
  runId: string,
): Promise<Result> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  awaited.then(settle, settle);
  let retryingMs = 0;
  while (!settled) {
    const next = await nextEvent(env, runId);
    if (next.kind !== 'retry') retryingMs = 0;
    if (settled) break;
    if (next.kind === 'timer') {
      await env.sleep(Math.max(1, next.at - (await env.currentTimeMs())));
    } else if (next.kind === 'retry') {
      const step = Math.max(retryStepMs, retryingMs / 10);
      await env.sleep(step);
      retryingMs += step;
    } else {
      await Promise.race([awaited.catch(() => undefined), delay(lookEveryMs)]);
    }
  }
  return awaited;
}
