// `npm run demo`: a refund waits for a person, its worker is killed meanwhile, another one goes on, and the money moves once.
// Usage: npm run demo -- [what the customer says]
import { resolve } from 'node:path';
import { tellAudit } from '../shared/audit.mts';
import { tellEnd } from '../shared/closing.mts';
import { answerTo, untilComplete } from '../shared/pauses.mts';
import { runDemo } from '../shared/run-demo.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { Story } from '../shared/story.mts';
import { decide } from './approval.mts';
import { nextTurn } from './offline-script.mts';
import { Ledger } from './shop.mts';

const request = 'The lamp of order 1042 arrived broken, I want my 80 euros back.';

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const ledger = resolve('.longhaul/refunds.jsonl');
  const worker = new URL('worker.mts', import.meta.url);
  const stage = await openStage(
    { script: nextTurn, worker, settings: { ledger } },
    { screen, cleanups },
  );
  const { longhaul } = stage;
  const first = await stage.startWorker();
  const said = process.argv.slice(2).join(' ') || request;
  const run = await longhaul.start('refunds', said, { by: { id: 'mia' } });
  const page = stage.pageOf(run.workflowId);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${page}`);
  screen.gap();

  let isKilled = false;
  const killWorker = async (): Promise<void> => {
    isKilled = true;
    await first.kill();
    const now = 'No worker is left. The run waits in the server, for a second or for a year:';
    screen.line('crash', `process ${first.pid} was killed with SIGKILL. ${now}`, 'red');
    for await (const { workflowId, question } of longhaul.inbox())
      if (workflowId === run.workflowId) screen.line('inbox', `${workflowId}: ${question}`);
    await stage.startWorker();
  };

  const story = new Story(run, screen);
  const outcome = await untilComplete(run, story, async (input) => {
    if (!isKilled) await killWorker();
    if (input.kind === 'approval') return await decide(run, input, screen);
    await run.resume(await answerTo(input, screen), { inputId: input.inputId });
  });
  await story.ended;
  screen.gap();
  await tellAudit(run, screen);
  const refunds = await new Ledger(ledger).refundsOf(run.workflowId);
  const lines = refunds.map(({ orderId, amount }) => `${amount} euros for order ${orderId}`);
  screen.line('ledger', [ledger, ...lines].join('\n'));
  await longhaul.close();
  await tellEnd(screen, { outcome, story, page, example: 'refunds' });
}

await runDemo('Longhaul demo: a refund waits for you, and its worker is killed meanwhile', demo);
