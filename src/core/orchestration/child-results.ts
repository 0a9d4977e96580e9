// What a plan adds up over its children's results. Pure.

import type { ChildResult } from '../../protocol/run';

export type Totals = { readonly iterations: number; readonly warnings: readonly string[] };

export const noTotals: Totals = { iterations: 0, warnings: [] };

export class RunningTotals {
  readonly #warnings: string[];
  #iterations: number;

  constructor({ iterations, warnings }: Totals) {
    this.#iterations = iterations;
    this.#warnings = [...warnings];
  }

  /** Each warning says whose it is. */
  add(element: string, { iterations, warnings = [] }: ChildResult): void {
    this.#iterations += iterations;
    for (const warning of warnings) this.#warnings.push(`${element}: ${warning}`);
  }

  /** As a result has them: without a list of no warnings. */
  get fields(): { readonly iterations: number; readonly warnings?: readonly string[] } {
    if (this.#warnings.length === 0) return { iterations: this.#iterations };
    return { iterations: this.#iterations, warnings: [...this.#warnings] };
  }

  toJSON(): Totals {
    return { iterations: this.#iterations, warnings: [...this.#warnings] };
  }
}
