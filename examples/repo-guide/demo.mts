// `npm run demo`: a server, a worker, a client, and one run of the repo guide from its start to its answer.
// Usage: npm run demo -- [--kill-worker] [--folder path] [question]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { RunHandle } from 'longhaul/client';
import type { AgentRunOutcome, PendingInput } from 'longhaul';
import { crashWorker } from './demo/crash.mts';
import { tellRetries } from './demo/pending-calls.mts';
import { Screen } from './demo/screen.mts';
import { openStage, type Cleanups } from './demo/stage.mts';
import { Story } from './demo/story.mts';

const screen = new Screen();
const cleanups: Cleanups = [];

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

async function demo(): Promise<void> {
  const { folder, question, killsWorker } = readArguments();
  screen.title('Longhaul demo: an agent that explains a folder, as a durable Temporal workflow');
  const stage = await openStage(folder, { screen, cleanups });
  const worker = await stage.startWorker();
  const run = await stage.longhaul.start('repo-guide', question);
  const page = stage.pageOf(run.runId);
  screen.line('run', `${run.runId}, in Temporal's Web UI:\n${page}`);
  screen.gap();

  const story = new Story(run, screen);
  const retries = tellRetries(stage.longhaul, run.runId, screen);
  retries.catch(() => undefined);
  let crash: Promise<void> | undefined;
  const outcome = await answering(run, story, () => {
    if (killsWorker) crash ??= crashWorker({ stage, screen, worker, runId: run.runId });
    crash?.catch(() => undefined);
  });
  await Promise.all([story.ended, crash, retries]);
  await stage.longhaul.close();

  const { usage } = outcome.result;
  screen.gap();
  screen.line('done', `${story.counts}; ${usage.input} tokens in, ${usage.output} out`, 'green');
  screen.line('look', page, 'green');
  screen.line('later', 'npx longhaul dev --agents examples/repo-guide/agents.mts', 'green');
  if (screen.isInteractive) await screen.ask('Press Enter to stop the server and the worker. ');
}

/** Waits for the run to end, and answers what it asks meanwhile. */
async function answering(
  run: RunHandle,
  story: Story,
  onAnswer: () => void,
): Promise<AgentRunOutcome & { kind: 'complete' }> {
  for (;;) {
    const outcome = await run.outcome();
    if (outcome.kind === 'complete') return outcome;
    await story.catchUp();
    for (const input of outcome.pending) {
      const answer = await answerTo(input);
      onAnswer();
      await run.resume(answer, { inputId: input.inputId });
    }
  }
}

/** An option by its number or in other words; without a terminal the first one. */
async function answerTo({ question, options = [] }: PendingInput): Promise<string> {
  const list = options.map((option, index) => `  ${index + 1}  ${option}`);
  screen.line('asks', [question, ...list].join('\n'), 'yellow');
  const first = options[0] ?? 'Go on without an answer.';
  if (!screen.isInteractive) {
    screen.line('', `No terminal to answer in: "${first}" is taken.`);
    return first;
  }
  const typed = await screen.ask(`Your answer, or a number (Enter: ${first}): `);
  return options[Number(typed) - 1] ?? (typed || first);
}

async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()?.catch(() => undefined);
}

let interrupted = false;
for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    interrupted = true;
    void cleanUp().then(() => process.exit(status));
  });
}
try {
  await demo();
} catch (error) {
  // What is torn down under the run fails, too.
  if (interrupted) await new Promise<never>(() => undefined);
  screen.line('failed', error instanceof Error ? error.message : String(error), 'red');
  process.exitCode = 1;
}
await cleanUp();
process.exit();
