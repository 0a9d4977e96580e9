// Runs the tool calls of a turn: all at once up to `toolConcurrency`.
//
// 1. A call starts once, however often the machine lists it. A call that ran inline has arrived already.
// 2. Results wait in `arrived` until the loop feeds them to the machine, in order of arrival.

import { outcomeUnknown } from '../../core/transcript/tool-output';
import type { CallModelResult, PendingToolCall } from '../../protocol';
import type { StartedCall, ToolCalls } from './tool-calls';
import {
  type BegunOutcome,
  errorOutcome,
  inlineOutcome,
  type ResultOutcome,
  resultOutcome,
  type ToolOutcome,
} from './tool-outcome';

/** The results of the calls that ran inline, in the activity of the model call. Any worker may have sent them. */
export type InlineResults = Pick<CallModelResult, 'results' | 'unfinished'>;

export class ToolRunner {
  readonly arrived: ToolOutcome[] = [];
  readonly #calls: ToolCalls;
  readonly #started = new Set<string>();
  readonly #waiting: StartedCall[] = [];
  #running = 0;

  constructor(calls: ToolCalls) {
    this.#calls = calls;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0 && this.arrived.length === 0;
  }

  /** True if no call is running. Then no call waits to run either. */
  get noneRunning(): boolean {
    return this.#running === 0;
  }

  /** `inline` has the results of the calls that ran in the activity of their model call. The others start now. */
  start(calls: readonly PendingToolCall[], inline: InlineResults = {}): void {
    const { results, unfinished } = listed(inline);
    for (const call of calls) {
      const key = `${call.turn}.${call.index}`;
      if (this.#started.has(key)) continue;
      this.#started.add(key);
      const arrival = call.kind === 'malformed' ? malformed(call) : inlineOutcome(call, results);
      if (arrival !== undefined) this.arrived.push(arrival);
      else this.#waiting.push({ ...call, hasBegun: unfinished.includes(call.index) });
    }
    this.#launch();
  }

  /** Takes the results that have arrived. A failure that ends the run is thrown after them, because they belong to the run's history. */
  take(): (ResultOutcome | BegunOutcome)[] {
    const arrivals = this.arrived.splice(0);
    const results = arrivals.filter((arrival) => arrival.kind !== 'failed');
    const failed = arrivals.find((arrival) => arrival.kind === 'failed');
    if (failed === undefined) return results;
    if (results.length === 0) throw failed.error;
    this.arrived.push(failed);
    return results;
  }

  #launch(): void {
    const { concurrency } = this.#calls;
    while (this.#running < concurrency && !this.#calls.isFull(this.#running)) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      this.#running += 1;
      void this.#calls.make(call, this.#waiting).then((arrival) => {
        this.#running -= 1;
        this.arrived.push(arrival);
        this.#launch();
      });
    }
  }
}

/** The inline results of the calls of a cancelled run. The run starts no other calls. */
export function endedInline(
  calls: readonly PendingToolCall[],
  inline: InlineResults,
): readonly ResultOutcome[] {
  const { results, unfinished } = listed(inline);
  return calls.flatMap((call) => {
    const ended = inlineOutcome(call, results);
    if (ended !== undefined) return [ended];
    const hasBegun = unfinished.includes(call.index);
    return hasBegun ? [resultOutcome(call, outcomeUnknown('the run was cancelled'))] : [];
  });
}

function listed({ results, unfinished }: InlineResults): Required<InlineResults> {
  return {
    results: Array.isArray(results) ? results : [],
    unfinished: Array.isArray(unfinished) ? unfinished : [],
  };
}

function malformed(pending: PendingToolCall): ToolOutcome {
  const reason = pending.call.argsError ?? 'not a JSON object';
  return errorOutcome(
    pending,
    `The arguments are not valid: ${reason}. Call the tool again with a JSON object.`,
  );
}
