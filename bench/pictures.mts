// What becomes of one run whose tool gives a picture of 190 KiB a turn, on a worker that keeps no log in memory: executions, the history
// of each, time; or the error it ends with, and at which picture.
// Usage, after `npm run build`: node bench/pictures.mts [pictures] [logCacheBytes]. TEMPORAL_ADDRESS names a server; without it a dev
// server is started.
import { randomBytes } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { defineAgent, defineTool, LonghaulError } from 'longhaul';
import { connect } from 'longhaul/client';
import { fetchHistories, measureHistory } from 'longhaul/testing';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import { withServer } from './bench-server.mts';
import './quiet-runtime.mts';

const pictures = Number(process.argv[2] ?? 500);
const logCacheBytes = Number(process.argv[3] ?? 1);
const taskQueue = `pictures-${process.pid}`;
const pictureBytes = (190 * 1024 * 3) / 4;

const picture = defineTool({
  name: 'take_picture',
  description: 'Takes a picture',
  inputSchema: { type: 'object', properties: {} },
  maxResultBytes: 256 * 1024,
  execute: () => randomBytes(pictureBytes).toString('base64'),
});

const viewer = defineAgent({
  id: 'viewer',
  model: 'scripted/one',
  tools: [picture],
  maxIterations: pictures + 1,
});

let calls = 0;

/** Keeps no request: together they would be more than the process has. */
const model: ModelProvider = {
  name: 'scripted',
  call: () => {
    calls += 1;
    const isLast = calls > pictures;
    return Promise.resolve({
      content: isLast
        ? [{ type: 'text', text: 'Done.' }]
        : [{ type: 'tool_call', callId: `call_${calls}`, name: 'take_picture', args: {} }],
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
    runners: [viewer],
    providers: { scripted: model },
    logCacheBytes,
  });
  const ended = worker.run();
  const longhaul = await connect({ address, taskQueue });
  const start = performance.now();
  const run = await longhaul.start('viewer', 'Look.');
  const watch = setInterval(
    () => console.error(`${seconds(start)} s: ${calls} model calls`),
    5_000,
  );
  const outcome = await run.result().then(
    () => 'completed',
    (error: unknown) =>
      LonghaulError.is(error) ? `${error.code}: ${error.message}` : String(error),
  );
  clearInterval(watch);
  console.log(`${pictures} pictures: ${outcome}`);
  console.log(`model calls: ${calls}, seconds: ${seconds(start)}`);
  for (const [index, history] of (await fetchHistories(longhaul, run.workflowId)).entries()) {
    const { bytes, events, activities } = measureHistory(history);
    console.log(`execution ${index + 1}: ${bytes} bytes, ${events} events`, activities);
  }
  worker.shutdown();
  await ended;
  await Promise.all([longhaul.close(), connection.close()]);
});

function seconds(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}
