// `npm run example plan-and-execute`: a planner, then an executor.
// Usage: npm run example plan-and-execute -- [the task]
import { runOrchestration } from '../shared/orchestration.mts';
import { runDemo } from '../shared/run-demo.mts';
import { nextTurn } from './offline-script.mts';

const input = 'Write a blog post about Rust';

const worker = new URL('worker.mts', import.meta.url);
const plan = {
  example: 'plan-and-execute',
  runner: 'plan-and-execute',
  input,
  script: nextTurn,
  worker,
};

await runDemo('Longhaul example: a planner, then an executor', (hands) =>
  runOrchestration(plan, hands),
);
