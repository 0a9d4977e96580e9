// Many runs that wait for a person, and many idle threads, on one worker that keeps few of them in memory: its memory, the time to answer
// one that it must replay, a burst of answers, the inbox, and a burst while workers join and one leaves.
// Usage, after `npm run build`: node bench/scale.mts [--runs 2000] [--threads 200] [--burst 1000] [--cache 500] [--options '<worker
// options as JSON>']. TEMPORAL_ADDRESS names a server; without it a dev server is started. 10,000 runs and 1,000 threads take half an hour
// on two cores.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasCode } from 'longhaul';
import { connect, type Longhaul, type RunHandle, type ThreadHandle } from 'longhaul/client';
import { withServer } from './bench-server.mts';
import { lostTasks } from './lost-tasks.mts';
import type { Load } from './scale-worker.mts';
import { median, type Row, type Section } from './section.mts';

type Scale = {
  readonly runs: number;
  readonly threads: number;
  readonly burst: number;
  /** Of the worker: `maxCachedWorkflows` and what else a caller sets. */
  readonly options: object;
};

/** More than a worker takes at a time. */
const answeredAtOnce = 100;
const coldOnes = 50;

type Place = {
  readonly address: string;
  readonly longhaul: Longhaul;
  readonly options: object;
};

type Step = (measure: string, work: () => Promise<Row | undefined>) => Promise<void>;

async function scaleRows(address: string, scale: Scale): Promise<readonly Row[]> {
  const longhaul = await connect({ address, taskQueue: `scale-${randomUUID()}` });
  const place: Place = { address, longhaul, options: scale.options };
  const rows: Row[] = [];
  const worker = await startWorker(place);
  const step: Step = async (measure, work) => {
    const [before, start] = [await look(worker), performance.now()];
    const own = await work();
    const [seconds, after] = [(performance.now() - start) / 1_000, await look(worker)];
    const row = {
      measure,
      's in all': rounded(seconds),
      'CPU of the worker, s': rounded((after.cpuMs - before.cpuMs) / 1_000),
      'its RSS, MiB': Math.round(after.rssBytes / 1024 ** 2),
      'least, ms': '',
      'median, ms': '',
      'most, ms': '',
      found: '',
    };
    rows.push({ ...row, ...own });
    console.error({ ...row, ...own });
  };
  const waiting = await build(place, scale, step);
  await readAll(longhaul, scale, step);
  await answers(place, { worker, waiting, burst: scale.burst }, step);
  await longhaul.close();
  return rows;
}

/** The runs, the oldest first. */
async function build(
  { longhaul }: Place,
  { runs, threads }: Scale,
  step: Step,
): Promise<readonly RunHandle[]> {
  const waiting: RunHandle[] = [];
  const talking: ThreadHandle[] = [];
  await step(`${threads} threads with a turn each`, async () => {
    await times(threads, async () => {
      const thread = longhaul.thread({ agent: 'speaker', sessionId: randomUUID() });
      talking.push(thread);
      await (await thread.send('Hello.')).result();
    });
  });
  await step(`${runs} runs until all wait`, async () => {
    await times(runs, async () => {
      const run = await longhaul.start('asker', 'Go.');
      waiting.push(run);
      await run.outcome();
    });
  });
  await step('a message to a thread that is not in memory', () =>
    one(talking, async (thread) => {
      await (await thread.send('And now?')).result();
    }),
  );
  return waiting;
}

async function readAll(longhaul: Longhaul, { runs }: Scale, step: Step): Promise<void> {
  const inbox = async (filter: Parameters<Longhaul['inbox']>[0]): Promise<Row> => {
    let found = 0;
    for await (const { workflowId } of longhaul.inbox(filter)) if (workflowId !== '') found += 1;
    return { found };
  };
  const limit = Math.min(1_000, runs);
  await step(`inbox of ${limit}, from memos`, () => inbox({ limit }));
  await step('inbox of all, from memos', () => inbox({}));
  await step(`inbox of ${limit}, whole, by queries`, () => inbox({ limit, whole: true }));
}

type Answers = {
  readonly worker: ChildProcess;
  readonly waiting: readonly RunHandle[];
  readonly burst: number;
};

async function answers(
  place: Place,
  { worker, waiting, burst }: Answers,
  step: Step,
): Promise<void> {
  const { longhaul } = place;
  await step('an answer to a run that is not in memory', () => one(waiting, answer));
  await step('an answer to a run in memory', () => one(waiting, answer));
  const [first, second] = [waiting.slice(coldOnes), waiting.slice(coldOnes + burst)];
  await step(`${burst} answers at once`, () => atOnce(longhaul, first.slice(0, burst)));
  await step('the same while two workers join and one leaves', async () => {
    const joined = [await startWorker(place), await startWorker(place)];
    const leaving = setTimeout(() => joined[0]?.send('stop'), 3_000);
    const row = await atOnce(longhaul, second.slice(0, burst));
    clearTimeout(leaving);
    for (const other of joined) if (other.connected) other.send('stop');
    return row;
  });
  worker.send('stop');
}

/** Until the run asks again. The client gives up after five seconds without an answer of the server: then it is asked again. */
async function answer(run: RunHandle): Promise<void> {
  for (;;) {
    try {
      await run.resume('Yes.');
      return void (await run.outcome());
    } catch (error) {
      if (!hasCode(error, 'ServerUnavailable')) throw error;
    }
  }
}

/** One after the other. */
async function one<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<Row> {
  const taken: number[] = [];
  for (const item of items.slice(0, coldOnes)) taken.push(await timeOf(() => work(item)));
  return spread(taken);
}

async function atOnce(longhaul: Longhaul, runs: readonly RunHandle[]): Promise<Row> {
  const [start, since] = [performance.now(), Date.now()];
  const ends: number[] = [];
  const left = [...runs];
  await times(
    runs.length,
    async () => {
      const run = left.pop();
      if (run !== undefined) ends.push(await timeOf(() => answer(run)));
    },
    answeredAtOnce,
  );
  const seconds = (performance.now() - start) / 1_000;
  const lost = await lostTasks(longhaul, runs, since);
  const kinds = Object.entries(lost).map(([kind, tasks]) => `${tasks} ${kind}`);
  return { 's in all': rounded(seconds), ...spread(ends), found: `lost: ${kinds.join(', ')}` };
}

/** Least, median and most milliseconds. */
function spread(taken: readonly number[]): Row {
  const [least, most] = [Math.min(...taken), Math.max(...taken)];
  return {
    'least, ms': Math.round(least),
    'median, ms': Math.round(median(taken)),
    'most, ms': Math.round(most),
  };
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function times(count: number, work: () => Promise<void>, startedAtOnce = 20): Promise<void> {
  let begun = 0;
  const next = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: startedAtOnce }, next));
}

async function startWorker({ address, longhaul, options }: Place): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'scale-worker.mts');
  const worker = fork(script, [address, longhaul.taskQueue, JSON.stringify(options)]);
  await once(worker, 'message');
  return worker;
}

async function look(worker: ChildProcess): Promise<Load> {
  worker.send('look');
  const [load] = (await once(worker, 'message')) as [Load];
  return load;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** For a run on demand: it takes many minutes. */
export const scale: Section = {
  name: 'scale',
  title: 'Many waiting runs',
  anyServer: true,
  run: async ({ address, isQuick }) => {
    const sizes = isQuick
      ? { runs: 100, threads: 10, burst: 40, cache: 25 }
      : { runs: 2_000, threads: 200, burst: 1_000, cache: 500 };
    return {
      rows: await scaleRows(address, { ...sizes, options: { maxCachedWorkflows: sizes.cache } }),
      notes: [
        `One worker that keeps ${sizes.cache} executions in memory. Answers at once: ${answeredAtOnce} are under way at any time.`,
        'Lost are workflow tasks that timed out: in the queue of one worker, in the queue of all, and in the hands of a worker, whose work is lost.',
      ],
    };
  },
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '2000' },
      threads: { type: 'string', default: '200' },
      burst: { type: 'string', default: '1000' },
      cache: { type: 'string', default: '500' },
      options: { type: 'string', default: '{}' },
    },
  });
  await withServer(async (address) => {
    const rows = await scaleRows(address, {
      runs: Number(values.runs),
      threads: Number(values.threads),
      burst: Number(values.burst),
      options: {
        maxCachedWorkflows: Number(values.cache),
        ...(JSON.parse(values.options) as object),
      },
    });
    console.table(Object.fromEntries(rows.map(({ measure, ...row }) => [measure, row])));
  });
}
