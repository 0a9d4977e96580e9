// When what is seen of a run changes: the memo and the search attributes cost an event each, the details none.

import type { LogEntry } from '../protocol/log';
import type { RunState } from '../protocol/run';
import { showAttributes, showDetails, showMemo, shownAtStart } from './visible-state';

export class RunDisplay {
  #memo: string;
  #status = '';

  constructor(memo: Record<string, unknown> | undefined) {
    this.#memo = shownAtStart(memo);
  }

  /** `indexed`: the search attributes are registered. */
  show(
    state: RunState,
    entries: readonly LogEntry[],
    options: { readonly indexed: boolean; readonly reason?: string | undefined },
  ): void {
    const memo = [state.status, ...state.pending.map((input) => input.inputId)].join(' ');
    if (memo !== this.#memo && state.status !== 'loading') {
      showMemo(state, options.reason);
      this.#memo = memo;
    }
    if (options.indexed && state.status !== this.#status) {
      showAttributes(state);
      this.#status = state.status;
    }
    showDetails(state, entries);
  }
}
