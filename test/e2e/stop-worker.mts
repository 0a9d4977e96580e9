// A worker as a process of its own, on the built package. Usage: stop-worker.mts '<JSON of StopSettings>'
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type CustomSlotSupplier,
  type WorkerOptions,
} from '@temporalio/worker';
import { defineAgent, subAgent } from 'longhaul';
import { PostgresDeltas } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';

export type StopSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly model: string;
  /** What it takes from the server. */
  readonly takes: 'all' | 'workflows' | 'calls';
  /** Of the database with the deltas. Without it, there are none. */
  readonly postgres?: string;
};

const { address, taskQueue, model, takes, postgres } = JSON.parse(
  process.argv[2] ?? '{}',
) as StopSettings;
process.once('disconnect', () => process.exit());

// Temporal's native part would warn of each query that it answers late.
const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter } },
});

/** Takes nothing. */
const noSlots: CustomSlotSupplier<never> = {
  type: 'custom',
  reserveSlot: (_context, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    }),
  tryReserveSlot: () => null,
  markSlotUsed: () => undefined,
  releaseSlot: () => undefined,
};

const slots = { type: 'fixed-size', numSlots: 50 } as const;
const workerOptions: Record<StopSettings['takes'], Partial<WorkerOptions>> = {
  all: {},
  workflows: { enableNonLocalActivities: false },
  calls: {
    tuner: {
      workflowTaskSlotSupplier: noSlots,
      activityTaskSlotSupplier: slots,
      localActivityTaskSlotSupplier: slots,
      nexusTaskSlotSupplier: slots,
    },
  },
};

const talker = defineAgent({ id: 'talker', model: 'double/one' });
const caller = defineAgent({
  id: 'caller',
  model: 'double/one',
  tools: [subAgent(talker, { name: 'talk', description: 'Talks' })],
});

const worker = await createWorker({
  address,
  taskQueue,
  runners: [talker, caller],
  providers: { double: { api: 'openai-chat', apiKey: 'key-of-the-double', baseURL: model } },
  ...(postgres !== undefined && { deltas: new PostgresDeltas({ connectionString: postgres }) }),
  workerOptions: { shutdownGraceTime: '1s', ...workerOptions[takes] },
});
process.send?.('polling');
await worker.run();
process.exit();
