// What happens elsewhere: calls that got a token are done, and their results come back by it. Strangers try tokens that are nearly right.

import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import type { Caller } from './client.mts';
import type { LaterCall } from './hub.mts';
import type { Act } from './plan.mts';
import { laterResultOf } from './texts.mts';

/** A call that was begun again in the place of a lost one is open by then. */
const patienceMs = 180_000;

/** Its run has ended, or was taken back. */
const ended = ['TokenInvalid', 'RunClosed', 'RunCancelled'] as const;

export type ElsewhereOptions = {
  readonly longhaul: Longhaul;
  readonly caller: Caller;
  readonly acts: ReadonlyMap<string, Act>;
  readonly report: (wrong: string) => void;
};

type PlannedCall = LaterCall & { readonly act: Act };

export class Elsewhere {
  readonly #options: ElsewhereOptions;
  readonly #calls: PlannedCall[] = [];
  /** Places of calls whose results were given more than once, because their runs were taken back. */
  readonly #again = new Set<string>();
  /** Results that runs took. */
  given = 0;
  /** Forged tokens, which were refused. */
  forged = 0;

  constructor(options: ElsewhereOptions) {
    this.#options = options;
  }

  readonly take = (call: LaterCall): void => {
    const { acts, report } = this.#options;
    const act = acts.get(call.place);
    if (act === undefined) return report(`a token for ${call.place}, which is nowhere in the plan`);
    const planned = { ...call, act };
    this.#calls.push(planned);
    const work = this.#tryForged(call).then(() => this.#give(planned));
    this.#watch(call, work);
  };

  /** A reset forgets the results that came after the point it goes back to: their calls wait again, with the same tokens. */
  giveAgain(owner: string): void {
    const calls = this.#calls.filter(({ place }) => place.startsWith(`${owner}.`));
    for (const call of calls) {
      this.#again.add(call.place);
      this.#watch(call, this.#give(call));
    }
  }

  #watch({ place }: LaterCall, work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#options.report(`the result of ${place} could not be given: ${String(error)}`);
    });
  }

  async #give({ place, token, act }: PlannedCall): Promise<void> {
    const { longhaul, caller } = this.#options;
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      try {
        const give = () => longhaul.completeByToken(token, laterResultOf(act));
        await caller.insist(`the result of ${place}`, give);
        this.given += 1;
        return;
      } catch (error) {
        if (ended.some((code) => hasCode(error, code))) return;
        if (hasCode(error, 'AlreadyAnswered') && this.#again.has(place)) return;
        if (!hasCode(error, 'NotWaiting')) throw error;
        await sleep(500);
      }
    }
  }

  async #tryForged({ place, token }: LaterCall): Promise<void> {
    const { longhaul, caller, report } = this.#options;
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    try {
      await caller.insist(`a forged result of ${place}`, () =>
        longhaul.completeByToken(forged, 'forged'),
      );
      report(`a forged token gave the result of ${place}`);
    } catch (error) {
      // A call that has not begun has no token yet.
      if (!hasCode(error, 'TokenInvalid') && !hasCode(error, 'NotWaiting')) throw error;
      this.forged += 1;
    }
  }
}
