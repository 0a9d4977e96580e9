// Which request holds the event loop. It counts the CPU time of this thread, not the clock: other processes may have the machine.

import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A request that had the loop for so many milliseconds of CPU at a stretch. */
export type Hold = { readonly ms: number; readonly request: string };

/** Requests that may hold the loop for so long do harm to all others. */
const longestHoldMs = 50;

const beatMs = 5;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

export class LoopProbe {
  readonly #request = new AsyncLocalStorage<string>();
  readonly #delay = monitorEventLoopDelay({ resolution: beatMs });
  readonly #onHold: (hold: Hold) => void;
  /** CPU time by request since the loop last came round. */
  readonly #shares = new Map<string, number>();
  readonly #begun: number[] = [];
  #beatAt = cpuMs();
  #isQuiet = true;
  /** The largest share of a request. */
  largest: Hold = { ms: 0, request: 'none' };

  constructor(onHold: (hold: Hold) => void) {
    this.#onHold = onHold;
    createHook({ before: () => this.#before(), after: () => this.#after() }).enable();
    setInterval(() => this.#beat(), beatMs).unref();
  }

  /** From now on. What happened before was warming up. */
  begin(): void {
    this.#isQuiet = false;
    this.#delay.enable();
  }

  /** By the clock, with whatever else the machine did. */
  get longestDelayMs(): number {
    return this.#delay.max / 1e6;
  }

  /** Does the work of a request, and counts what it costs, now and later. */
  async run<Result>(request: string, work: () => Promise<Result>): Promise<Result> {
    const begun = cpuMs();
    const result = this.#request.run(request, work);
    this.#add(request, cpuMs() - begun);
    return await result;
  }

  #before(): void {
    this.#begun.push(cpuMs());
  }

  #after(): void {
    const begun = this.#begun.pop();
    const request = this.#request.getStore();
    // What is inside of another one is counted with it.
    if (begun === undefined || request === undefined || this.#begun.length > 0) return;
    this.#add(request, cpuMs() - begun);
  }

  #add(request: string, ms: number): void {
    this.#shares.set(request, (this.#shares.get(request) ?? 0) + ms);
  }

  #beat(): void {
    const now = cpuMs();
    const held = now - this.#beatAt;
    this.#beatAt = now;
    const [[request, ms] = ['none', 0]] = [...this.#shares].toSorted(
      ([, left], [, right]) => right - left,
    );
    this.#shares.clear();
    if (this.#isQuiet) return;
    const hold = { ms: Math.round(Math.min(ms, held)), request };
    if (hold.ms > this.largest.ms) this.largest = hold;
    if (hold.ms > longestHoldMs) this.#onHold(hold);
  }
}
