// The worker: the process that calls the model. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { planAndExecute } from './pipeline.mts';

const settings = readSettings();

// The agents of the pipeline come with it.
await serve(
  await createWorker({ ...demoOptions(settings), runners: [planAndExecute(settings.model)] }),
);
