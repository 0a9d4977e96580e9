// Waiting as long as a run takes: who waits outlives a server that is away for a while, and one that refuses who waits.

import { timeouts } from '../protocol/limits';
import { isPassing, isRefused } from './failures';

const shortestPauseMs = 250;
const longestPauseMs = 5_000;

export type Clock = { readonly now: () => number; readonly pause: (ms: number) => Promise<void> };

const realClock: Clock = {
  now: () => Date.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Asks again while the server refuses for its limits, however long that is, and while it cannot be reached, for at most
 * `timeouts.silence`. Everything else is an answer, this client's own end of the call among it.
 */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock = realClock,
): Promise<Answer> {
  let silentSince: number | undefined;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      silentSince = isRefused(error) ? undefined : (silentSince ?? clock.now());
      if (silentSince !== undefined && clock.now() - silentSince >= timeouts.silence) throw error;
    }
    // Of many who were refused at once, not all may come back at once.
    await clock.pause(pauseMs * (0.5 + Math.random() / 2));
  }
}
