// Keeps the phase of a run or a thread: it loads, runs, waits for people, moves to its next execution, or is over. Knows no Temporal.

import type { AgentRunResult, RejectedSignal, RunStatus } from '../../protocol';
import type { OpenInputs } from '../people/open-inputs';

/** How a run ends. */
export type EndStatus = Exclude<RunStatus, 'loading' | 'running' | 'needs-input'>;

const keptRejections = 20;

export class Phase {
  /** The definition is known, so the run takes answers. A continued run knows its old questions even earlier. */
  isLoaded = false;
  /** The run is about to continue as new, so everyone who waits must ask again. */
  isMoving = false;
  /** Nobody needs the result any more, so nobody answers. */
  isDetached = false;
  /** How many updates this execution has taken. The server limits their number. */
  updates = 0;
  /** Updates of this workflow task that take no effect yet. */
  arriving = 0;
  readonly #inputs: OpenInputs;
  readonly #isContinued: boolean;
  readonly #rejected: RejectedSignal[];
  #end: { readonly status: EndStatus; readonly result: AgentRunResult | undefined } | undefined;

  /** `rejected`: the refused signals of the execution before, if there was one. */
  constructor(inputs: OpenInputs, rejected?: readonly RejectedSignal[]) {
    this.#inputs = inputs;
    this.#isContinued = rejected !== undefined;
    this.#rejected = [...(rejected ?? [])];
  }

  get status(): RunStatus {
    if (this.#end !== undefined) return this.#end.status;
    if (this.#inputs.pending.length > 0) return 'needs-input';
    return this.isLoaded || this.#isContinued ? 'running' : 'loading';
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  get result(): AgentRunResult | undefined {
    return this.#end?.result;
  }

  end(status: EndStatus, result?: AgentRunResult): void {
    this.#end = { status, result };
    this.#inputs.end();
  }

  get rejected(): readonly RejectedSignal[] {
    return this.#rejected;
  }

  /** Lists what was refused or lost, so that nothing is lost silently. */
  refuse(signal: string, code: RejectedSignal['code'], message: string): void {
    this.#rejected.push({ signal, code, message, at: new Date().toISOString() });
    if (this.#rejected.length > keptRejections) this.#rejected.shift();
  }
}
