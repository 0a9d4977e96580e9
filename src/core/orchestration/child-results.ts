// What a plan adds up over its children's results. Pure.
//
// 1. Bounded, however many the children are: the first warnings, cut, and how many more there were.

import { limits } from '../../protocol/limits';
import type { ChildResult } from '../../protocol/run';
import { clipText } from '../../base/text';

export type Totals = {
  readonly iterations: number;
  readonly warnings: readonly string[];
  /** That are not among them. */
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

  /** Each warning says whose it is. */
  add(element: string, { iterations, warnings = [] }: ChildResult): void {
    this.#iterations += iterations;
    for (const warning of warnings) {
      if (this.#warnings.length === limits.warnings) this.#moreWarnings += 1;
      else this.#warnings.push(clipText(`${element}: ${warning}`, limits.warning));
    }
  }

  /** As a result has them: without a list of no warnings. */
  get fields(): { readonly iterations: number; readonly warnings?: readonly string[] } {
    if (this.#warnings.length === 0) return { iterations: this.#iterations };
    const more =
      this.#moreWarnings === 0
        ? []
        : [`and ${this.#moreWarnings} more warnings: read them from the runs below`];
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
