// A worker of one version, in a process of its own. It runs from the folder of that version. Usage: worker.mts '<JSON of WorkerSettings>'
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { SqliteStores } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';
import { runnersOf } from './agents.mts';

export type WorkerSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly hub: string;
  readonly modelUrl: string;
  /** A file of SQLite. */
  readonly store: string;
  /** It keeps no workflow, so that each of its tasks may go to another worker. */
  readonly isForgetful: boolean;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
const { address, taskQueue, hub, modelUrl, store, isForgetful } = settings;
process.once('disconnect', () => process.exit());
Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await createWorker({
  address,
  taskQueue,
  runners: runnersOf(hub),
  providers: { double: { api: 'openai-chat', apiKey: 'none', baseURL: modelUrl } },
  stores: new SqliteStores({ path: store }),
  workerOptions: isForgetful ? { maxCachedWorkflows: 0 } : {},
});
process.on('SIGTERM', () => process.send?.('stopping'));
process.send?.('polling');
await worker.run();
process.exit();
