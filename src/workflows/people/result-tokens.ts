// Checks the tokens of deferred calls. A caller with a token may send the result of its call, and nothing else. Knows no Temporal.
//
// 1. The tokens of an answered call stay known as long as its answer, so that a repetition is recognised.
// 2. The error for a wrong token reveals nothing: neither whether the input exists, nor whether it is answered.

import { isProof, keptOf } from '../../core/people/result-token';
import { limits, LonghaulError } from '../../protocol';

/** By input. What survives continue-as-new. */
export type CarriedTokens = readonly (readonly [inputId: string, kept: readonly string[]])[];

export class ResultTokens {
  readonly #beginning = new Set<string>();
  readonly #kept: Map<string, readonly string[]>;

  constructor(carried: CarriedTokens = []) {
    this.#kept = new Map(carried);
  }

  /** `isKnown`: whether the run still knows the input. */
  carry(isKnown: (inputId: string) => boolean): CarriedTokens {
    return [...this.#kept].filter(([inputId]) => isKnown(inputId));
  }

  /** The code that passes a token on is running. */
  begin(inputId: string): void {
    this.#beginning.add(inputId);
  }

  /** The code has ended, well or not. */
  ended(inputId: string): void {
    this.#beginning.delete(inputId);
  }

  /** `kept`: a worker sent it. */
  keep(inputId: string, kept: readonly string[]): void {
    if (kept.length > 0) this.#kept.set(inputId, kept.slice(-limits.resultTokens));
  }

  /** True if the input may open soon: the receiver of the token may be faster than the run. */
  isBeginning(inputId: string): boolean {
    return this.#beginning.has(inputId);
  }

  /** Throws `TokenInvalid`. */
  check(inputId: string, proof: unknown): void {
    if (!isProof(proof) || this.#kept.get(inputId)?.includes(keptOf(proof)) !== true)
      throw new LonghaulError('TokenInvalid', 'the token is not one of this run');
  }
}
