// When what is seen of a run changes: the memo and the search attributes cost an event each, the details none.

import type { LogEntry } from '../protocol/log';
import type { ChildView, RunState } from '../protocol/run';
import { showAttributes, showDetails, showMemo, shownAtStart, shownBriefly } from './visible-state';

export type Shown = {
  readonly entries: readonly LogEntry[];
  readonly children: readonly ChildView[];
  /** The search attributes are registered. */
  readonly indexed: boolean;
  readonly reason: string | undefined;
};

export class RunDisplay {
  #memo: string;
  #status = '';

  constructor(memo: Record<string, unknown> | undefined) {
    this.#memo = shownAtStart(memo);
  }

  show(state: RunState, options: Shown): void {
    const memo = shownBriefly(state.status, state.pending);
    if (memo !== this.#memo && state.status !== 'loading') {
      showMemo(state, options.reason);
      this.#memo = memo;
    }
    if (options.indexed && state.status !== this.#status) {
      showAttributes(state);
      this.#status = state.status;
    }
    this.showDetails(state, options);
  }

  /** What costs no event. */
  showDetails(state: RunState, shown: Pick<Shown, 'entries' | 'children'>): void {
    showDetails(state, shown);
  }
}
