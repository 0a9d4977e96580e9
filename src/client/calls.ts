import { timeouts } from '../protocol/limits';
import { hasGrpcStatus, isUpdateLimit, isPassing, isRefused, isUnprocessed } from './failures';
import { grpcStatus } from '../base/grpc-status';

const attempts = 10;

const pauseMs = 100;

const shortestPauseMs = 250;

const longestPauseMs = 5_000;

const realClock: Clock = {
  now: () => Date.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

// Waiting as long as a run takes: who waits outlives a server that is away for a while, and one that refuses who waits.

type Clock = { readonly now: () => number; readonly pause: (ms: number) => Promise<void> };

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

/**
 * Sends an update, again if need be: one that meets a workflow task that fails, as one does when the run was about to end or was reset,
 * comes back without having been looked at. The server runs each update id once.
 */
export async function uninterrupted<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!wasInterrupted(error) || attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs));
    }
  }
}

function wasInterrupted(error: unknown): boolean {
  if (isUnprocessed(error)) return true;
  return hasGrpcStatus(error, grpcStatus.failedPrecondition) && !isUpdateLimit(error);
}

type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function limited(atATime: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atATime) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
