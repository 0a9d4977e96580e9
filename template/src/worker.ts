// A worker for production. `npm run dev` starts one with a server on this machine.
import { createWorker } from 'longhaul/worker';
import options from '../longhaul.config.ts';

const worker = await createWorker(options);
await worker.run();
