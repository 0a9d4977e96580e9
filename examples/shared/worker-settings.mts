import type { Worker } from '@temporalio/worker';
import type { CreateWorkerOptions } from 'longhaul/worker';

/** What a demo tells its worker process, as JSON in the first argument. */
export type WorkerSettings = {
  /** Of the Temporal server. */
  readonly address: string;
  /** `'provider/model'`. */
  readonly model: string;
  /** Where the scripted model serves; without it the provider's own address and key are used. */
  readonly offlineURL?: string;
};

// The process that started this one is gone.
process.once('disconnect', () => process.exit());

/** What this process was told; `Own` is what one example adds to it. */
export function readSettings<Own = unknown>(): WorkerSettings & Own {
  return JSON.parse(process.argv[2] ?? '{}') as WorkerSettings & Own;
}

/** Where to find the demo's server and model. */
export function demoOptions({ address, offlineURL }: WorkerSettings): CreateWorkerOptions {
  return { address, ...offlineProvider(offlineURL), workerOptions: { shutdownGraceTime: '1s' } };
}

/** The scripted model in OpenAI's place, if there is one. */
export function offlineProvider(baseURL: string | undefined): CreateWorkerOptions {
  if (baseURL === undefined) return {};
  return { providers: { openai: { api: 'openai-responses', baseURL, apiKey: 'offline' } } };
}

/** Tells the demo that this worker takes work, and runs it until it is told to stop. */
export async function serve(worker: Worker): Promise<void> {
  process.send?.('polling');
  await worker.run();
  process.exit();
}
