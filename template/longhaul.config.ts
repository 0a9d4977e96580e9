// What the worker runs: `npm run dev` and `npm start` read this file.
import type { CreateWorkerOptions } from 'longhaul/worker';
import { support } from './src/agent.ts';

const hasKey = Boolean(process.env['OPENAI_API_KEY']);
if (!hasKey) console.warn('OPENAI_API_KEY is not set: src/script.ts answers in place of a model.');

export default {
  runners: [support],
  ...(!hasKey && { providers: { openai: (await import('./src/script.ts')).script } }),
} satisfies CreateWorkerOptions;
