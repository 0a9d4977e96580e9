// Runs the tool calls of a turn: all at once up to `toolConcurrency`.
//
// 1. A call starts once, however often the machine lists it.
// 2. Results wait in `arrived` until the loop feeds them to the machine, in order of arrival.

import type { PendingToolCall } from '../../protocol/agent-run';
import type { ToolCalls } from './tool-calls';
import { errorOutcome, type ResultOutcome, type ToolOutcome } from './tool-outcome';

export class ToolRunner {
  readonly arrived: ToolOutcome[] = [];
  readonly #calls: ToolCalls;
  readonly #started = new Set<string>();
  readonly #waiting: PendingToolCall[] = [];
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

  start(calls: readonly PendingToolCall[]): void {
    for (const call of calls) {
      const key = `${call.turn}.${call.index}`;
      if (this.#started.has(key)) continue;
      this.#started.add(key);
      if (call.kind === 'malformed') this.arrived.push(malformed(call));
      else this.#waiting.push(call);
    }
    this.#launch();
  }

  /** Takes the results that have arrived. A failure that ends the run is thrown after them, because they belong to the run's history. */
  take(): ResultOutcome[] {
    const arrivals = this.arrived.splice(0);
    const results = arrivals.filter((arrival) => arrival.kind === 'result');
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
