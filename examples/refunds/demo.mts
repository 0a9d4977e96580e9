// `npm run example refunds`: one refund that runs at once, and one that waits for a person.
// Usage: npm run example refunds -- [what the customer says]
import { resolve } from 'node:path';
import type { RunHandle } from 'longhaul/client';
import { tellEnd } from '../shared/closing.mts';
import { answerTo, untilComplete } from '../shared/pauses.mts';
import { runDemo } from '../shared/run-demo.mts';
import type { Screen } from '../shared/screen.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { resultText, Story } from '../shared/story.mts';
import { decide } from './approval.mts';
import { nextTurn } from './offline-script.mts';
import { Ledger } from './shop.mts';

const request =
  'The lamp of order 1042 arrived broken, I want my 80 euros back. And of order 1043 one bulb was missing: 12 euros.';

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const ledger = resolve('.longhaul/refunds.jsonl');
  const worker = new URL('worker.mts', import.meta.url);
  const stage = await openStage(
    { script: nextTurn, worker, settings: { ledger } },
    { screen, cleanups },
  );
  await stage.startWorker();
  const run = await stage.longhaul.start('refunds', process.argv.slice(2).join(' ') || request);
  const page = stage.pageOf(run.workflowId);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${page}`);
  screen.gap();

  const story = new Story(run, screen);
  const outcome = await untilComplete(run, story, async (input) => {
    if (input.kind === 'approval') return await decide(run, input, screen);
    await run.resume(await answerTo(input, screen), { inputId: input.inputId });
  });
  await story.ended;
  screen.gap();
  await tellWhatTheModelSaw(run, screen);
  const refunds = await new Ledger(ledger).refundsOf(run.workflowId);
  screen.line('ledger', [ledger, ...refunds.map((line) => JSON.stringify(line))].join('\n'));
  await stage.longhaul.close();
  await tellEnd(screen, { outcome, story, page, example: 'refunds' });
}

/** Its own calls stay as it made them; the results say what a person changed. */
async function tellWhatTheModelSaw(run: RunHandle, screen: Screen): Promise<void> {
  const results = (await run.transcript())
    .flatMap((message) => (message.role === 'tool' ? message.parts : []))
    .filter(({ name }) => name === 'refund');
  for (const result of results) screen.line('model saw', resultText(result));
}

await runDemo('Longhaul example: a refund that waits for a person', demo);
