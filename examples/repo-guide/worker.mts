// The worker: the process that calls the model and runs the tools. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { repoGuide } from './agent.mts';

const settings = readSettings<{ readonly folder: string }>();
const { folder, model } = settings;

await serve(
  await createWorker({ ...demoOptions(settings), runners: [repoGuide({ folder, model })] }),
);
