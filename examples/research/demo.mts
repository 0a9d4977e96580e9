// `npm run example research`: a graph of three researchers and a synthesiser.
// Usage: npm run example research -- [a question]
import { runOrchestration } from '../shared/orchestration.mts';
import { runDemo } from '../shared/run-demo.mts';
import { nextTurn } from './offline-script.mts';

const input = 'Should a city replace its diesel buses by electric ones?';

const worker = new URL('worker.mts', import.meta.url);
const plan = { example: 'research', runner: 'research', input, script: nextTurn, worker };

await runDemo('Longhaul example: a graph of three researchers and a synthesiser', (hands) =>
  runOrchestration(plan, hands),
);
