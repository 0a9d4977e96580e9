// How the campaign's callers use the client: they ask again when the server or the workers are away, as honest callers do.

import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from 'longhaul';

/** Whatever else happens, no call is repeated for longer. */
const giveUpMs = 5 * 60_000;
const pauseMs = 500;
/** A database that was killed is back by then. */
const awayMs = 60_000;

/** Errors that say nothing about the run: the other side is away. */
const isAway = (error: unknown): boolean =>
  LonghaulError.is(error) && ['ServerUnavailable', 'NoWorker'].includes(error.code);

/** What a caller is never to see, whatever is away: the campaign tells of it, and asks again. */
const isUnexpected = (error: unknown): boolean =>
  !LonghaulError.is(error) || error.code === 'InternalError';

export const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

function withCauses(error: unknown): string {
  if (!(error instanceof Error) || error.cause === undefined) return String(error);
  return `${String(error)}, because of ${withCauses(error.cause)}`;
}

/** Asks a database again that is away for a moment. */
export async function askAgain<Result>(call: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + awayMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}

export class Caller {
  readonly #report: (wrong: string) => void;
  /** How often a call was told that the server or the workers are away. */
  toldAway = 0;

  constructor(report: (wrong: string) => void) {
    this.#report = report;
  }

  /** Repeats the call while the other side is away. What else it throws is thrown. */
  async insist<Result>(
    what: string,
    call: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const deadline = Date.now() + giveUpMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        if (isUnexpected(error)) this.#report(`${what} threw ${withCauses(error)}`);
        else if (!isAway(error)) throw error;
        if (Date.now() > deadline) throw error;
        this.toldAway += 1;
        await sleep(pauseMs);
      }
    }
  }
}
