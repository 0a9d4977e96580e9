// `npm run example sentiment-and-summary`: two agents at the same time.
// Usage: npm run example sentiment-and-summary -- [a text]
import { runOrchestration } from '../shared/orchestration.mts';
import { runDemo } from '../shared/run-demo.mts';
import { nextTurn } from './offline-script.mts';

const input = 'The new release is great and fast. Only the installer is still slow.';

const worker = new URL('worker.mts', import.meta.url);
const plan = {
  example: 'sentiment-and-summary',
  runner: 'sentiment-and-summary',
  input,
  script: nextTurn,
  worker,
};

await runDemo('Longhaul example: two agents at the same time', (hands) =>
  runOrchestration(plan, hands),
);
