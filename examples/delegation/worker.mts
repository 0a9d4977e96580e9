// The worker: the process that calls the model and runs the tools. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { manager } from './agent.mts';

const settings = readSettings();

// The agents it calls come with it.
await serve(await createWorker({ ...demoOptions(settings), runners: [manager(settings.model)] }));
