// How the campaign's callers use the client: they ask again when the server or the workers are away, as honest callers do.

import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from 'longhaul';

/** Whatever else happens, no call is repeated for longer. */
const giveUpMs = 5 * 60_000;
const pauseMs = 500;

/** Errors that say nothing about the run. */
const isAway = (error: unknown): boolean =>
  LonghaulError.is(error) && ['ServerUnavailable', 'NoWorker'].includes(error.code);

export class Caller {
  readonly #report: (wrong: string) => void;
  /** How often a call was told that the server or the workers are away. */
  toldAway = 0;

  constructor(report: (wrong: string) => void) {
    this.#report = report;
  }

  /** Repeats the call while the other side is away. What else it throws is thrown, and reported if it has no type. */
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
        if (!isAway(error)) this.#checkTyped(what, error);
        if (Date.now() > deadline || (LonghaulError.is(error) && !isAway(error))) throw error;
        this.toldAway += 1;
        await sleep(pauseMs);
      }
    }
  }

  #checkTyped(what: string, error: unknown): void {
    if (LonghaulError.is(error)) return;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#report(`${what} threw an error without a code: ${text}`);
  }
}
