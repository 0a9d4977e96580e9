// The worker: the process that calls the model and runs the tools. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { refundAgent } from './agent.mts';

const settings = readSettings<{ readonly ledger: string }>();
const { ledger, model } = settings;

await serve(
  await createWorker({ ...demoOptions(settings), runners: [refundAgent({ ledger, model })] }),
);
