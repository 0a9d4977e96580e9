// Watches a simulation from another thread. Code that loops for ever lets nothing else run in its own thread: the watchdog then prints the
// seed and the lines where the code is, and ends the process.

import { Worker } from 'node:worker_threads';

/** Shared with the watchdog: how often something has happened, and under which seed. */
export type Watched = { readonly steps: BigInt64Array; readonly port: number; readonly ms: number };

export type Watchdog = { readonly step: () => void; readonly watch: (seed: number) => void };

/** `ms` of this process's own time, so that a busy machine changes nothing: the longest that one step may take. */
export function startWatchdog(ms: number): Watchdog {
  const steps = new BigInt64Array(new SharedArrayBuffer(16));
  // The watchdog finds the code by Node's own debugger, which then listens here.
  process.debugPort = 20_000 + (process.pid % 20_000);
  const workerData: Watched = { steps, port: process.debugPort, ms };
  new Worker(new URL('watchdog-thread.mts', import.meta.url), { workerData }).unref();
  return {
    step: () => void (steps[0] = (steps[0] ?? 0n) + 1n),
    watch: (seed) => void (steps[1] = BigInt(seed)),
  };
}
