// The totals over the results of a plan's children. Pure.
//
// 1. The size has a bound for any number of children: it keeps the first warnings, cut, and the number of further warnings.

import { limits } from '../../protocol/limits';
import type { ChildResult } from '../../protocol/run';
import { clipText } from '../../base';

export type Totals = {
  readonly iterations: number;
  readonly warnings: readonly string[];
  /** The number of further warnings. */
  readonly moreWarnings?: number;
};

export const noTotals: Totals = { iterations: 0, warnings: [] };

export class RunningTotals {
  readonly #warnings: string[];
  #iterations: number;
  #moreWarnings: number;

  constructor({ iterations, warnings, moreWarnings = 0 }: Totals) {
    this.#iterations = iterations;
    this.#warnings = [...warnings];
    this.#moreWarnings = moreWarnings;
  }

  /** Adds a child's warnings, each with the child's name. */
  add(element: string, { iterations, warnings = [] }: ChildResult): void {
    this.#iterations += iterations;
    for (const warning of warnings) {
      if (this.#warnings.length === limits.warnings) this.#moreWarnings += 1;
      else this.#warnings.push(clipText(`${element}: ${warning}`, limits.warning));
    }
  }

  /** The fields for a result. They do not contain an empty list of warnings. */
  get fields(): { readonly iterations: number; readonly warnings?: readonly string[] } {
    if (this.#warnings.length === 0) return { iterations: this.#iterations };
    const more =
      this.#moreWarnings === 0
        ? []
        : [`and ${this.#moreWarnings} more warnings: read them from the child runs`];
    return { iterations: this.#iterations, warnings: [...this.#warnings, ...more] };
  }

  toJSON(): Totals {
    return {
      iterations: this.#iterations,
      warnings: [...this.#warnings],
      ...(this.#moreWarnings > 0 && { moreWarnings: this.#moreWarnings }),
    };
  }
}
