// The bank: it has the tokens of calls, and gives their results, each with a secret that nobody else knows.

import { hasCode } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { hashOf } from '../torture/random.mts';
import type { Effect } from './agents.mts';

const slowestMs = 4_000;
/** Of ten calls it never answers so many. */
const unanswered = 4;
const attempts = 5;

/** The call is over, was made by somebody else, or has nobody to take its result. */
const usualCodes = ['TokenInvalid', 'NotWaiting', 'NoWorker', 'RunClosed'] as const;

export class Bank {
  readonly #longhaul: Longhaul;
  readonly #report: (wrong: string) => void;
  readonly #seed: number;
  readonly #given = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    seed: number,
    { longhaul, report }: { readonly longhaul: Longhaul; readonly report: (wrong: string) => void },
  ) {
    this.#seed = seed;
    this.#longhaul = longhaul;
    this.#report = report;
  }

  /** A call passed its token on. */
  take({ key, resultToken = '' }: Effect): void {
    const draw = hashOf(`${this.#seed} ${key}`);
    if (draw % 10 < unanswered) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#give(resultToken, `secret-${draw.toString(36)}`);
    }, draw % slowestMs);
    this.#timers.add(timer);
  }

  /** What a model reads as the result of the bank is what the bank gave, or that there is none. */
  judgeResult(result: string): void {
    if ([...this.#given].some((secret) => result.includes(secret))) return;
    this.#report(`a model reads of the bank what the bank did not say: ${result.slice(0, 300)}`);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #give(token: string, secret: string): Promise<void> {
    this.#given.add(secret);
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#longhaul.completeByToken(token, { secret });
      } catch (error) {
        // On a busy machine the server is late. Whoever has a token tries again.
        if (hasCode(error, 'ServerUnavailable') && attempt < attempts) continue;
        const isUsual = usualCodes.some((code) => hasCode(error, code));
        if (!isUsual) this.#report(`the bank could not give its result: ${String(error)}`);
        return;
      }
  }
}
