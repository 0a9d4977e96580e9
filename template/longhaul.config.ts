// What the worker runs. `longhaul dev` reads this file, and src/worker.ts does.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { support } from './src/agent.ts';
import { offlineModel } from './src/model.ts';

export default {
  runners: [support],
  providers: { offline: offlineModel },
} satisfies CreateWorkerOptions;
