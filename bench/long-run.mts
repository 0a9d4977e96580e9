// What one long run takes: turns with a tool result each, and two questions on the way, answered through the handle from the start.
// Prints the executions, the bytes of all histories, the time, and the memory of the worker.
// Usage, after `npm run build`: node bench/long-run.mts [turns] [result bytes]. TEMPORAL_ADDRESS names a server; without it a dev server
// is started.
import { randomBytes } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { defineAgent, defineTool } from 'longhaul';
import { connect } from 'longhaul/client';
import { fetchHistories, measureHistory } from 'longhaul/testing';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import { withServer } from './bench-server.mts';
import './quiet-runtime.mts';

const turns = Number(process.argv[2] ?? 3_000);
const resultBytes = Number(process.argv[3] ?? 4_096);
const taskQueue = `long-run-${process.pid}`;

const read = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  inputSchema: { type: 'object', properties: {} },
  execute: () => randomBytes(resultBytes / 2).toString('hex'),
});

const reader = defineAgent({
  id: 'reader',
  model: 'scripted/one',
  tools: [read],
  askUser: 'tool',
  maxIterations: turns + 1,
  maxTurns: turns + 1,
});

const asksAt = new Set([Math.floor(turns / 3), Math.floor((2 * turns) / 3)]);
let calls = 0;
let peakBytes = 0;

/** Keeps no request: together they would be more than the process has. */
const model: ModelProvider = {
  name: 'scripted',
  call: () => {
    calls += 1;
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    const isLast = calls >= turns;
    const name = asksAt.has(calls) ? 'ask_user' : 'read_page';
    const args = name === 'ask_user' ? { question: `Go on after turn ${calls}?` } : {};
    return Promise.resolve({
      content: isLast
        ? [{ type: 'text', text: 'Done.' }]
        : [{ type: 'tool_call', callId: `call_${calls}`, name, args }],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
      },
      finishReason: isLast ? 'stop' : 'tool_calls',
      origin: { provider: 'scripted', api: 'scripted', model: 'one' },
    });
  },
};

await withServer(async (address) => {
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection,
    taskQueue,
    runners: [reader],
    providers: { scripted: model },
  });
  const ended = worker.run();
  const longhaul = await connect({ address, taskQueue });
  const atStart = process.memoryUsage().rss;
  const start = performance.now();
  const run = await longhaul.start(reader, 'Read all pages.');
  const watch = setInterval(() => console.error(`${seconds(start)} s: ${calls} calls`), 20_000);
  let answered = 0;
  for (let outcome = await run.outcome(); outcome.kind === 'needs-input';) {
    await run.resume('yes');
    answered += 1;
    outcome = await run.outcome();
  }
  clearInterval(watch);
  const took = seconds(start);
  const sizes = (await fetchHistories(longhaul, run.workflowId)).map(measureHistory);
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  console.log(`${calls} model calls, ${answered} answers, ${took} s`);
  console.log(`executions: ${sizes.length}, bytes of all histories: ${bytes}`);
  sizes.forEach((size, index) => {
    console.log(`execution ${index + 1}: ${size.bytes} bytes, ${size.events} events`);
  });
  console.log(
    `memory of the process: ${mega(atStart)} MB at the start, ${mega(peakBytes)} MB at most`,
  );
  worker.shutdown();
  await ended;
  await Promise.all([longhaul.close(), connection.close()]);
});

function seconds(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}

function mega(bytes: number): number {
  return Math.round(bytes / 1e6);
}
