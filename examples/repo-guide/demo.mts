// `npm run example repo-guide`: a server, a worker, a client, and one run of the repo guide from its start to its answer.
// Usage: npm run example repo-guide -- [--kill-worker] [--folder path] [question]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tellEnd } from '../shared/closing.mts';
import { answerTo, untilComplete } from '../shared/pauses.mts';
import { runDemo } from '../shared/run-demo.mts';
import type { StageHands } from '../shared/stage.mts';
import { Story } from '../shared/story.mts';
import { crashWorker } from './demo/crash.mts';
import { tellRetries } from './demo/pending-calls.mts';
import { openGuideStage } from './demo/stage.mts';

type Arguments = {
  readonly folder: string;
  readonly question: string;
  readonly killsWorker: boolean;
};

function readArguments(): Arguments {
  const { values, positionals } = parseArgs({
    options: {
      'kill-worker': { type: 'boolean', default: false },
      folder: { type: 'string', default: '.' },
    },
    allowPositionals: true,
  });
  const { folder, 'kill-worker': killsWorker } = values;
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  const question = positionals.join(' ') || 'I am new here. What is this, and where do I start?';
  return { folder, question, killsWorker };
}

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const { folder, question, killsWorker } = readArguments();
  const stage = await openGuideStage(folder, { screen, cleanups });
  const worker = await stage.startWorker();
  const run = await stage.longhaul.start('repo-guide', question);
  const page = stage.pageOf(run.workflowId);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${page}`);
  screen.gap();

  const story = new Story(run, screen);
  const retries = tellRetries(stage.longhaul, run.workflowId, screen);
  retries.catch(() => undefined);
  let crash: Promise<void> | undefined;
  const outcome = await untilComplete(run, story, async (input) => {
    const answer = await answerTo(input, screen);
    if (killsWorker) crash ??= crashWorker({ stage, screen, worker, workflowId: run.workflowId });
    crash?.catch(() => undefined);
    await run.resume(answer, { inputId: input.inputId });
  });
  await Promise.all([story.ended, crash, retries]);
  await stage.longhaul.close();
  await tellEnd(screen, { outcome, story, page, example: 'repo-guide' });
}

await runDemo(
  'Longhaul example: an agent that explains a folder, as a durable Temporal workflow',
  demo,
);
