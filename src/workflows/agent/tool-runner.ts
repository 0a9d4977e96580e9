// Runs the tool calls of a turn: all at once up to `toolConcurrency`.
//
// 1. A call starts once, however often the machine lists it. A call that ran inline has arrived already.
// 2. Results wait in `arrived` until the loop feeds them to the machine, in order of arrival.

import { outcomeUnknown } from '../../core/transcript/tool-output';
import type { CallModelResult, CallToolResult } from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import type { StartedCall, ToolCalls } from './tool-calls';
import {
  type BegunOutcome,
  errorOutcome,
  inlineOutcome,
  type ResultOutcome,
  resultOutcome,
  type ToolOutcome,
} from './tool-outcome';

export class ToolRunner {
  readonly arrived: ToolOutcome[] = [];
  readonly #calls: ToolCalls;
  readonly #started = new Set<string>();
  readonly #waiting: StartedCall[] = [];
  #running = 0;
  #results: readonly CallToolResult[] = [];
  #unfinished: readonly number[] = [];

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

  /** What came of a turn's calls in the activity of its model call. It counts when those calls start. */
  ranInline({ results, unfinished }: Pick<CallModelResult, 'results' | 'unfinished'>): void {
    this.#results = Array.isArray(results) ? results : [];
    this.#unfinished = Array.isArray(unfinished) ? unfinished : [];
  }

  /** What came inline of the calls of a cancelled run. It starts no others. */
  endedInline(calls: readonly PendingToolCall[]): readonly ResultOutcome[] {
    return calls.flatMap((call) => {
      const ended = inlineOutcome(call, this.#results);
      if (ended !== undefined) return [ended];
      const hasBegun = this.#unfinished.includes(call.index);
      return hasBegun ? [resultOutcome(call, outcomeUnknown('the run was cancelled'))] : [];
    });
  }

  start(calls: readonly PendingToolCall[]): void {
    for (const call of calls) {
      const key = `${call.turn}.${call.index}`;
      if (this.#started.has(key)) continue;
      this.#started.add(key);
      const arrival =
        call.kind === 'malformed' ? malformed(call) : inlineOutcome(call, this.#results);
      if (arrival !== undefined) this.arrived.push(arrival);
      else this.#waiting.push({ ...call, hasBegun: this.#unfinished.includes(call.index) });
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

function malformed(pending: PendingToolCall): ToolOutcome {
  const reason = pending.call.argsError ?? 'not a JSON object';
  return errorOutcome(
    pending,
    `The arguments are not valid: ${reason}. Call the tool again with a JSON object.`,
  );
}
