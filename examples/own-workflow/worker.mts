// The worker: it serves the workflow, its activities, and the agents it calls. Usage: worker.mts '<JSON of its settings>'
import { fileURLToPath } from 'node:url';
import { createWorker } from 'longhaul/worker';
import { demoOptions, readSettings, serve } from '../shared/worker-settings.mts';
import * as activities from './activities.mts';
import { runners } from './runners.mts';

const settings = readSettings();
const { workerOptions, ...options } = demoOptions(settings);

await serve(
  await createWorker({
    ...options,
    runners: runners(settings.model),
    workerOptions: {
      ...workerOptions,
      workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
      activities,
    },
  }),
);
