// What a restart costs: runs of many turns wait for an answer, every worker goes away, others start with nothing in memory, and all
// runs are answered at once. Time to the first, the median and the last end, beside the ideal: the CPU that replaying takes, divided
// by the cores. And the workflow tasks that came to nothing, by kind.
// Usage, after `npm run build`: node bench/restart.mts [--runs 200] [--turns 300] [--workers 1] [--how kill|deploy]
// [--options '<worker options as JSON>']. TEMPORAL_ADDRESS names a server; without it a dev server is started. Building 200 runs of
// 300 turns takes about half an hour on two cores; `--rounds 'kill 1, kill 2, deploy 1, deploy 2'` restarts the same runs several
// times, each time for one more answer.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from '@temporalio/worker';
import { connect, type Longhaul, type RunHandle } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';
import { replayCost } from './answer-commands.mts';
import { withServer } from './bench-server.mts';
import { lostTasks } from './lost-tasks.mts';
import { median } from './section.mts';
import './quiet-runtime.mts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    turns: { type: 'string', default: '300' },
    rounds: { type: 'string', default: 'kill 1' },
    options: { type: 'string', default: '{}' },
  },
});
const runs = Number(values.runs);
const { turns, options } = values;
const rounds = values.rounds.split(',').map((round) => {
  const [how, workers] = round.trim().split(' ');
  return { how, workers: Number(workers) };
});
const taskQueue = `restart-${process.pid}`;
const cores = availableParallelism();
/** Runs that are built at a time: more than a few only wait for each other. */
const builtAtOnce = 20;

await withServer(async (address) => {
  const longhaul = await connect({ address, taskQueue });
  let workers = await startWorkers(address, 1);
  const waiting = await build(longhaul);
  const rows: Record<string, Record<string, number>> = {};
  for (const { how, workers: count } of rounds) {
    const cost = await costToReplay(longhaul, waiting[0] as RunHandle);
    await Promise.all(workers.map(how === 'deploy' ? shutDown : kill));
    const restarted = Date.now();
    workers = await startWorkers(address, count);
    const before = await cpuOf(workers);
    const ends = await answerAll(waiting);
    rows[`${how}, ${count} workers`] = {
      'first, s': seconds(Math.min(...ends)),
      'median, s': seconds(median(ends)),
      'last, s': seconds(Math.max(...ends)),
      'ideal, s': seconds((cost * runs) / cores),
      'replay, ms CPU': Math.round(cost),
      'workers, s CPU': seconds((await cpuOf(workers)) - before),
      ...(await lostTasks(longhaul, waiting, restarted)),
    };
    console.table(rows);
  }
  await Promise.all(workers.map(shutDown));
  await longhaul.close();
});

async function startWorkers(address: string, count: number): Promise<readonly ChildProcess[]> {
  const script = join(import.meta.dirname, 'restart-worker.mts');
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = fork(script, [address, taskQueue, turns, options]);
      await once(worker, 'message');
      return worker;
    }),
  );
}

async function build(longhaul: Longhaul): Promise<readonly RunHandle[]> {
  const built: RunHandle[] = [];
  const next = async (): Promise<void> => {
    for (let started = built.length; started < runs; started = built.length) {
      const run = longhaul.run(`asker-${process.pid}-${started}`);
      built.push(run);
      await longhaul.start('asker', 'Go.', { workflowId: run.workflowId });
      await run.outcome();
    }
  };
  await Promise.all(Array.from({ length: builtAtOnce }, next));
  return built;
}

/** CPU in ms that replaying the newest execution of a run takes, once the code is warm. */
async function costToReplay(longhaul: Longhaul, { workflowId }: RunHandle): Promise<number> {
  const history = await fetchHistory(longhaul, workflowId);
  const codePath = fileURLToPath(
    new URL('../workflow-bundle.js', import.meta.resolve('longhaul/workflows')),
  );
  const { cpuMs } = await replayCost(history, (copies) =>
    Worker.runReplayHistories({ workflowBundle: { codePath } }, copies),
  );
  return cpuMs;
}

/** Answers each run; it asks again at once, which is the end of the wait. */
async function answerAll(waiting: readonly RunHandle[]): Promise<readonly number[]> {
  const start = performance.now();
  return await Promise.all(
    waiting.map(async (run) => {
      await run.resume('Yes.');
      await run.outcome();
      return performance.now() - start;
    }),
  );
}

async function cpuOf(processes: readonly ChildProcess[]): Promise<number> {
  const each = await Promise.all(
    processes.map(async (worker) => {
      worker.send('cpu');
      const [ms] = (await once(worker, 'message')) as [number];
      return ms;
    }),
  );
  return each.reduce((sum, ms) => sum + ms, 0);
}

async function kill(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

async function shutDown(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.send('stop');
  await ended;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
