// A run of many rounds of tools against a strict double with a small window, in each dialect: whether it ends, what its prompts take, and
// how much of each prompt the turn before had, too, which is what a provider's cache can have.
// Usage, after `npm run build`: node bench/context.mts [rounds] [window] [dialect] [--each]. TEMPORAL_ADDRESS names a server; without it a
// dev server is started. `--each` prints a line for each request.
import { defineAgent, defineTool } from 'longhaul';
import { connect } from 'longhaul/client';
import { fetchHistories, measureHistory } from 'longhaul/testing';
import { createWorker } from 'longhaul/worker';
import { NativeConnection } from '@temporalio/worker';
import { withServer } from './bench-server.mts';
import './quiet-runtime.mts';
import { type Measured, StrictProvider } from './strict-provider.mts';
import { type Dialect, dialects, models } from './strict-rules.mts';

const [rounds = '300', window = '32000', only] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--each');
const showsEach = process.argv.includes('--each');

/** From 0.2 to 4 KiB, as the page says; every 20th page has 12 KiB. */
const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: {
    type: 'object',
    properties: { page: { type: 'integer' } },
    required: ['page'],
    additionalProperties: false,
  },
  execute: ({ page }: { page: number }) =>
    `Page ${page}. ${'It says little of use. '.repeat(page % 200 === 0 ? 530 : 10 + ((page * 37) % 170))}`,
});

async function measure(address: string, dialect: Dialect): Promise<void> {
  const double = await StrictProvider.start({ rounds: Number(rounds), window: Number(window) });
  const taskQueue = `context-${dialect}-${process.pid}`;
  const agent = defineAgent({
    id: 'reader',
    model: `double/${models[dialect]}`,
    instructions: 'Read every page, then say what you found.',
    tools: [readPage],
    maxIterations: Number(rounds) + 1,
    settings: { reasoning: { effort: 'low' } },
    context: { window: Number(window) },
  });
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection,
    taskQueue,
    runners: [agent],
    providers: { double: double.config(dialect) },
  });
  const longhaul = await connect({ address, taskQueue });
  const from = performance.now();
  const outcome = await worker.runUntil(async () => {
    const run = await longhaul.start('reader', 'Read every page.');
    const ended = await run.result().then(
      ({ finalResponse }) => finalResponse.text,
      (error: unknown) => `failed: ${String(error)}`,
    );
    const histories = await fetchHistories(longhaul, run.workflowId);
    const sizes = histories.map((history) => measureHistory(history).bytes);
    return { ended, transcript: (await run.transcript()).length, sizes };
  });
  const seconds = (performance.now() - from) / 1_000;
  report(dialect, double.requests);
  console.log(`  ended with: ${outcome.ended}`);
  console.log(
    `  ${seconds.toFixed(1)} s, ${outcome.transcript} messages in the transcript, executions of ${outcome.sizes.join(', ')} bytes`,
  );
  await Promise.all([longhaul.close(), connection.close(), double.stop()]);
}

function report(dialect: Dialect, requests: readonly Measured[]): void {
  if (showsEach) for (const request of requests) console.log(lineOf(request));
  const turns = requests.filter(({ kind }) => kind === 'turn');
  const refused = requests.flatMap(({ refusal }) => refusal ?? []);
  const cut = turns.filter(({ shared, bytes }) => shared < bytes / 2).length;
  const sum = (field: 'bytes' | 'shared' | 'tokens'): number =>
    turns.reduce((total, turn) => total + turn[field], 0);
  console.log(`${dialect}: ${turns.length} turns, ${requests.length - turns.length} summaries`);
  console.log(`  refused: ${refused.length === 0 ? 'none' : refused.join('; ')}`);
  console.log(
    `  largest prompt: ${Math.max(...turns.map(({ tokens }) => tokens))} tokens of ${window}; all: ${sum('tokens')}`,
  );
  console.log(
    `  cached prefix: ${sum('shared')} of ${sum('bytes')} bytes (${((100 * sum('shared')) / sum('bytes')).toFixed(1)} %); ${cut} turns shared less than half`,
  );
}

function lineOf({ kind, tokens, bytes, shared, refusal }: Measured): string {
  return `  ${kind} ${tokens} tokens, ${shared} of ${bytes} bytes as before${refusal === undefined ? '' : `: ${refusal}`}`;
}

await withServer(async (address) => {
  for (const dialect of dialects) {
    if (only === undefined || only === dialect) await measure(address, dialect);
  }
});
