// A worker as a process of its own, run from a folder in which the built package is installed. Usage: live-worker.mts '<JSON of LiveSettings>'
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { defineAgent, defineTool, subAgent } from 'longhaul';
import { PostgresDeltas } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';

export type LiveSettings = {
  readonly address: string;
  readonly taskQueue: string;
  /** Of the database with the deltas. */
  readonly postgres: string;
  readonly model: string;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as LiveSettings;
process.once('disconnect', () => process.exit());

// Temporal's native part would warn of each query that it answers late.
const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter } },
});

const object = { type: 'object', properties: {} };
const clerk = defineAgent({
  id: 'clerk',
  model: 'double/slow',
  tools: [
    defineTool({
      name: 'book',
      description: 'Books a seat',
      needsApproval: true,
      inputSchema: object,
      execute: ({ seat }: { seat?: string }) => ({ booked: seat }),
    }),
  ],
});
const host = defineAgent({
  id: 'host',
  model: 'double/slow',
  maxIterations: 20,
  askUser: 'tool',
  tools: [
    subAgent(clerk, { name: 'clerk', description: 'Books things' }),
    defineTool({
      name: 'look_up',
      description: 'Looks a word up',
      effect: 'read',
      inputSchema: object,
      execute: ({ word }: { word?: string }) => ({ word, length: word?.length }),
    }),
    defineTool({
      name: 'charge',
      description: 'Charges an amount',
      needsApproval: true,
      inputSchema: object,
      execute: ({ amount }: { amount?: number }) => ({ charged: amount }),
    }),
  ],
});

const worker = await createWorker({
  address: settings.address,
  taskQueue: settings.taskQueue,
  runners: [host],
  providers: {
    double: { api: 'openai-chat', apiKey: 'key-of-the-double', baseURL: settings.model },
  },
  deltas: new PostgresDeltas({ connectionString: settings.postgres }),
  workerOptions: { shutdownGraceTime: '1s', workflowThreadPoolSize: 1 },
});
process.send?.('polling');
await worker.run();
process.exit();
