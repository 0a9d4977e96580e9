// The worker: the process that calls the model. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { conciergeAgent } from './agent.mts';

const settings = readSettings();

await serve(
  await createWorker({ ...demoOptions(settings), runners: [conciergeAgent(settings.model)] }),
);
