// The worker: the process that calls the model. Usage: worker.mts '<JSON of its settings>'
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import { research } from './research.mts';

const settings = readSettings();

// The agents of the tasks come with it.
await serve(await createWorker({ ...demoOptions(settings), runners: [research(settings.model)] }));
