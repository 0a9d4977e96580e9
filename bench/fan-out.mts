// What a parallel of 500 branches takes: wall time, the parent's history per branch, what one workflow task starts, and how often
// the root run is asked for its definition.
// Usage, after `npm run build`: node bench/fan-out.mts [branches]. TEMPORAL_ADDRESS names a server; without it a dev server is started.
import { NativeConnection } from '@temporalio/worker';
import { defineAgent, parallel } from 'longhaul';
import { connect, type Longhaul } from 'longhaul/client';
import { fetchHistory, measureHistory, scriptedModel } from 'longhaul/testing';
import { createWorker } from 'longhaul/worker';
import { withServer } from './bench-server.mts';
import { countQueries } from './count-queries.mts';
import './quiet-runtime.mts';

const branches = Number(process.argv[2] ?? 500);
const taskQueue = `fan-out-${process.pid}`;

const wide = parallel({
  id: 'wide',
  branches: Array.from({ length: branches }, (_, index) =>
    defineAgent({ id: `branch-${index + 1}`, model: 'scripted/one' }),
  ),
});

/** A worker with a cache of definitions of its own, and how often it asked a run for one. */
async function startWorker(address: string): Promise<{ stop(): Promise<void>; asked(): number }> {
  const connection = await NativeConnection.connect({ address });
  const asked = countQueries(connection, 'definition');
  const model = scriptedModel(
    Array.from(
      { length: 2 * branches },
      () =>
        ({ messages }) =>
          `${messages.length} message`,
    ),
  );
  const worker = await createWorker({
    connection,
    taskQueue,
    runners: [wide],
    providers: { scripted: model },
  });
  const ended = worker.run();
  const stop = async (): Promise<void> => {
    worker.shutdown();
    await ended;
    await connection.close();
  };
  return { stop, asked };
}

async function measure(longhaul: Longhaul): Promise<Record<string, number>> {
  const start = performance.now();
  const run = await longhaul.start(wide.id, 'Go');
  const { combinedText = '[]' } = await run.result();
  const wallTime = performance.now() - start;
  const history = await fetchHistory(longhaul, run.workflowId);
  const { events, bytes } = measureHistory(history);
  const starts = new Map<string, number>();
  for (const event of history.events ?? []) {
    const task =
      event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowTaskCompletedEventId;
    if (task) starts.set(String(task), (starts.get(String(task)) ?? 0) + 1);
  }
  return {
    'wall time, ms': Math.round(wallTime),
    'ms a branch': round(wallTime / branches),
    'texts in the result': (JSON.parse(combinedText) as unknown[]).length,
    'events of the parent': events,
    'events a branch': round(events / branches),
    'bytes of the parent': bytes,
    'bytes a branch': Math.round(bytes / branches),
    'most starts in one workflow task': Math.max(...starts.values()),
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

await withServer(async (address) => {
  const longhaul = await connect({ address, taskQueue });
  // The second one never saw the definition that the first one pins, or the other way round.
  const workers = await Promise.all([startWorker(address), startWorker(address)]);
  const first = await measure(longhaul);
  const asked = workers.reduce((sum, worker) => sum + worker.asked(), 0);
  console.log(`A parallel of ${branches} branches, two workers:`);
  console.table({ ...first, 'queries for the definition': asked });
  await Promise.all(workers.map((worker) => worker.stop()));
  await longhaul.close();
});
