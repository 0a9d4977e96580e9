// When what is seen of a run changes: the memo and the search attributes cost an event each, the details none.

import type { LogEntry } from '../../protocol/log';
import type { ChildView, RunState } from '../../protocol/run';
import {
  showAttributes,
  showDetails,
  showMemo,
  shownAtStart,
  shownBriefly,
  type Marks,
} from './visible-state';

export type Shown = Marks & {
  readonly entries: readonly LogEntry[];
  readonly children: readonly ChildView[];
  /** The search attributes are registered. */
  readonly indexed: boolean;
};

export class RunDisplay {
  #memo: string;
  #status = '';

  constructor(memo: Record<string, unknown> | undefined) {
    this.#memo = shownAtStart(memo);
  }

  show(state: RunState, options: Shown): void {
    const memo = shownBriefly({ ...state, key: options.key });
    if (memo !== this.#memo && state.status !== 'loading') {
      showMemo(state, options);
      this.#memo = memo;
    }
    if (options.indexed && state.status !== this.#status) {
      showAttributes(state, options.key);
      this.#status = state.status;
    }
    this.showDetails(state, options);
  }

  /** What costs no event. */
  showDetails(state: RunState, shown: Pick<Shown, 'entries' | 'children'>): void {
    showDetails(state, shown);
  }
}
