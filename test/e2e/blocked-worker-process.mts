// A worker as a process of its own, run from a folder in which the built package is installed. Its tool blocks the event loop.
// Usage: blocked-worker-process.mts <address> <task queue> <milliseconds> [encrypted]
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { defineAgent, defineTool } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';
import { createWorker } from 'longhaul/worker';
import { flippingCodec } from './flipping-codec.mts';

const [, , address = '', taskQueue = '', blockMs = '', encrypted] = process.argv;
process.once('disconnect', () => process.exit());

// Temporal's native part would warn of each query that it answers late.
const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter } },
});

const compute = defineTool({
  name: 'compute',
  description: 'Computes for long',
  effect: 'once',
  inputSchema: { type: 'object', properties: {} },
  execute: async (_args, { heartbeat }) => {
    heartbeat({ done: 1 });
    // The SDK encodes the details before it sends them.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockMs));
    return 'computed';
  },
});

const worker = await createWorker({
  address,
  taskQueue,
  runners: [
    defineAgent({ id: 'computer', model: 'scripted/one', instructions: 'Go.', tools: [compute] }),
  ],
  providers: {
    scripted: scriptedModel([{ toolCalls: [{ name: 'compute', args: {} }] }, 'Computed.']),
  },
  ...(encrypted && { encryption: flippingCodec }),
});
const running = worker.run();
process.send?.('polls');
await running;
