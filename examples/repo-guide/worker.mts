// A worker: the process that calls the model and runs the tools. Usage: worker.mts '<JSON of WorkerSettings>'
import { createWorker } from 'longhaul/worker';
import { repoGuide } from './agent.mts';

export type WorkerSettings = {
  /** Of the Temporal server. */
  readonly address: string;
  readonly folder: string;
  readonly model: string;
  /** Where the scripted model serves; without it the provider's own address and key are used. */
  readonly offlineURL?: string;
};

const { address, folder, model, offlineURL } = JSON.parse(
  process.argv[2] ?? '{}',
) as WorkerSettings;
// The process that started this one is gone.
process.once('disconnect', () => process.exit());

const worker = await createWorker({
  address,
  runners: [repoGuide({ folder, model })],
  ...(offlineURL !== undefined && {
    providers: { openai: { api: 'openai-responses', baseURL: offlineURL, apiKey: 'offline' } },
  }),
  workerOptions: { shutdownGraceTime: '1s' },
});
process.send?.('polling');
await worker.run();
process.exit();
