// Questions that an activity asks a run. They change nothing, so that they may be asked again while a worker restarts or the server is
// away: within the attempt, for a call with effect `once` has no other.

import { setTimeout as sleep } from 'node:timers/promises';
import { timeouts } from '../../protocol/limits';

/** gRPC status codes of what may pass: unknown, deadline exceeded, resource exhausted, failed precondition, aborted, internal, unavailable. */
const passing: readonly unknown[] = [2, 4, 8, 9, 10, 13, 14];
const firstPauseMs = 250;
const longestPauseMs = 4_000;

/** Gives up when the activity is told to stop, and after `timeouts.askAgain`. */
export async function askedAgain<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<Answer> {
  const deadline = now() + timeouts.askAgain;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error) || signal.aborted || now() + pauseMs > deadline) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** The client wraps what the server says, at any depth. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && passing.includes(error.code)) || mayPass(error.cause);
}
