// The answers that a run has taken, by input. The first answer counts: the same update again gets the same reply. Knows no Temporal.

import { limits } from '../../protocol';

/** `by` is undefined if the actor is unknown. `child` is undefined if this run asked. */
export type TakenAnswer = {
  readonly updateId: string;
  readonly nonce: string | undefined;
  /** The child that asked. */
  readonly child?: string | undefined;
  /** The id of the actor who answered. */
  readonly by?: string | undefined;
};

export type CarriedAnswer = readonly [
  inputId: string,
  updateId: string,
  nonce?: string | null,
  by?: string,
];

export class TakenAnswers {
  readonly #byInput: Map<string, TakenAnswer>;

  constructor(carried: readonly CarriedAnswer[] = []) {
    this.#byInput = new Map(
      carried.map(([inputId, updateId, nonce, by]) => [
        inputId,
        { updateId, nonce: nonce ?? undefined, by },
      ]),
    );
  }

  carry(): readonly CarriedAnswer[] {
    const newest = [...this.#byInput].slice(-limits.answeredInputs);
    return newest.map(([inputId, { updateId, nonce, by }]) => {
      if (by !== undefined) return [inputId, updateId, nonce ?? null, by];
      return nonce === undefined ? [inputId, updateId] : [inputId, updateId, nonce];
    });
  }

  of(inputId: string): TakenAnswer | undefined {
    return this.#byInput.get(inputId);
  }

  take(inputId: string, answer: TakenAnswer): void {
    this.#byInput.set(inputId, answer);
  }

  /** The answer is lost, or did not reach the run that asked. */
  forget(inputId: string): void {
    this.#byInput.delete(inputId);
  }
}
