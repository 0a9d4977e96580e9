// The worker of bench/streams.mts, a process of its own: it watches its event loop and its memory, and tells what it saw when asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { defineAgent } from 'longhaul';
import { createWorker } from 'longhaul/worker';
import './quiet-runtime.mts';

const [, , address = '', taskQueue = '', baseURL = '', overrides = '{}'] = process.argv;

/** Of the process from the first stream to the last run. */
export type Seen = {
  readonly cpuMs: number;
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** What the main thread holds while the streams are open, after a collection: the workflows' threads have heaps of their own. */
  readonly heldBytes: number;
  readonly peakRss: number;
};

const writer = defineAgent({
  id: 'writer',
  model: 'double/writer',
  instructions: 'You write long texts.',
});
const worker = await createWorker({
  address,
  taskQueue,
  runners: [writer],
  providers: { double: { api: 'openai-chat', apiKey: 'key-of-the-double', baseURL } },
  workerOptions: JSON.parse(overrides) as object,
});

const lag = monitorEventLoopDelay({ resolution: 10 });
const began = { cpu: process.cpuUsage(), bytes: 0 };
let [heldBytes, peakRss] = [0, 0];

function held(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function seen(): Seen {
  const { user, system } = process.cpuUsage(began.cpu);
  const [p50, p99, max] = [lag.percentile(50), lag.percentile(99), lag.max].map(
    // The monitor counts from the end of one timer to the next, which is its resolution without any lag.
    (nanoseconds) => Math.max(0, nanoseconds / 1e6 - 10),
  ) as [number, number, number];
  return { cpuMs: (user + system) / 1_000, lagMs: { p50, p99, max }, heldBytes, peakRss };
}

process.on('message', (message) => {
  switch (message) {
    case 'begin':
      Object.assign(began, { cpu: process.cpuUsage(), bytes: held() });
      lag.enable();
      lag.reset();
      break;
    case 'all open':
      // A collection stops the loop, so the monitor does not look.
      lag.disable();
      heldBytes = held() - began.bytes;
      lag.enable();
      break;
    case 'end':
      lag.disable();
      process.send?.(seen());
      break;
    default:
      worker.shutdown();
  }
});
process.on('disconnect', () => process.exit());
setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 500).unref();

const ended = worker.run();
process.send?.('running');
await ended;
process.exit();
