// Many model calls at a time on one worker: runs of one call each, against an HTTP server that streams chunks for a while. The total time
// beside the time of one stream, how late the worker's event loop is, CPU a chunk, memory a stream, and how many streams were open at once;
// with Longhaul's slots, with the SDK's 100 activities, and with the SDK's resource-based tuner. Each in turn, a process each.
// Usage, after `npm run build`: node bench/streams.mts [--streams 1000] [--seconds 30] [--per-second 5] [--prompt 1000] [--rounds 1]
// [--slots longhaul,sdk,tuner,polled,'polled by more']. TEMPORAL_ADDRESS names a server; without it a dev server is started. The model,
// the client and the dev server share the machine: leave a core for them.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasCode } from 'longhaul';
import { connect, type Longhaul, type RunHandle } from 'longhaul/client';
import { withServer } from './bench-server.mts';
import { inRounds, median, type Row, type Section } from './section.mts';
import type { Seen } from './streams-worker.mts';

const slots = {
  longhaul: {},
  sdk: { maxConcurrentActivityTaskExecutions: 100 },
  tuner: { tuner: { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 0.9 } } },
  polled: { maxEagerActivityReservationsPerWorkflowTask: 0 },
  'polled by more': {
    maxEagerActivityReservationsPerWorkflowTask: 0,
    activityTaskPollerBehavior: { type: 'autoscaling', maximum: 50 },
  },
} as const;

const startedAtOnce = 20;

type SlotsName = keyof typeof slots;

type Load = {
  readonly streams: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Bytes of each run's input. */
  readonly prompt: number;
};

type Figures = Readonly<Record<string, number>>;

/** Streams chunks to each request, and ends after its time. */
class SlowModel {
  open = 0;
  mostOpen = 0;
  chunks = 0;
  readonly #load: Load;
  readonly #server: Server;
  #whenAllOpen: (() => void) | undefined;

  constructor(load: Load) {
    this.#load = load;
    this.#server = createServer((request, response) => {
      request.resume().once('end', () => this.#stream(response));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', 4_096, resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Never, if the slots do not let it come to that. */
  whenAllOpen(then: () => void): void {
    this.#whenAllOpen = then;
  }

  #stream(response: ServerResponse): void {
    const { streams, seconds, perSecond } = this.#load;
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    if (this.open === streams) this.#whenAllOpen?.();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = seconds * perSecond;
    const timer = setInterval(() => {
      left -= 1;
      this.chunks += 1;
      if (left > 0) return void response.write(chunkOf({ content: 'A few more words. ' }, null));
      clearInterval(timer);
      this.open -= 1;
      response.end(`${chunkOf({}, 'stop')}data: [DONE]\n\n`);
    }, 1_000 / perSecond);
  }
}

function chunkOf(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'writer' };
  return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
}

async function measure(address: string, name: SlotsName, load: Load): Promise<Figures> {
  const taskQueue = `streams-${randomUUID()}`;
  const model = new SlowModel(load);
  const worker = await startWorker([
    address,
    taskQueue,
    await model.start(),
    JSON.stringify(slots[name]),
  ]);
  const longhaul = await connect({ address, taskQueue });
  // Builds what the first run of a worker builds.
  await (await longhaul.start('writer', 'Write.')).result();
  worker.send('begin');
  model.whenAllOpen(() => worker.send('all open'));
  const [start, chunks] = [performance.now(), model.chunks];
  const input = 'Write on. '.repeat(load.prompt / 10);
  await startAll(load.streams, async () => await startRun(longhaul, input));
  const ms = performance.now() - start;
  worker.send('end');
  const [seen] = (await once(worker, 'message')) as [Seen];
  await stop(worker);
  model.stop();
  await longhaul.close();
  const figures = figuresOf(seen, { ...load, ms, chunks: model.chunks - chunks });
  return { ...figures, 'most streams at once': model.mostOpen };
}

/** Even if the server, which shares the machine, does not answer in time. */
async function startRun(longhaul: Longhaul, input: string): Promise<RunHandle> {
  const workflowId = `writer-${randomUUID()}`;
  for (;;) {
    try {
      return await longhaul.start('writer', input, { workflowId });
    } catch (error) {
      if (hasCode(error, 'RunAlreadyExists')) return longhaul.run(workflowId);
      if (!hasCode(error, 'ServerUnavailable')) throw error;
    }
  }
}

/** Until all are done. Starts a few at a time, so that no start waits longer than a client does. */
async function startAll(count: number, start: () => Promise<RunHandle>): Promise<void> {
  const results: Promise<unknown>[] = [];
  let started = 0;
  const next = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const run = await start();
      results.push(run.result());
    }
  };
  await Promise.all(Array.from({ length: startedAtOnce }, next));
  await Promise.all(results);
}

function figuresOf(
  { cpuMs, lagMs, heldBytes, peakRss }: Seen,
  { ms, seconds, chunks, streams }: Load & { readonly ms: number; readonly chunks: number },
): Figures {
  return {
    'total, s': rounded(ms / 1_000),
    'total / one stream': rounded(ms / 1_000 / seconds),
    'loop lag p50, ms': rounded(lagMs.p50),
    'p99, ms': rounded(lagMs.p99),
    'max, ms': rounded(lagMs.max),
    'CPU, s': rounded(cpuMs / 1_000),
    'CPU of a chunk, with its share of the run, µs': Math.round((cpuMs / chunks) * 1_000),
    'KiB a stream': Math.round(heldBytes / 1024 / streams),
    'peak RSS, MiB': Math.round(peakRss / 1024 ** 2),
  };
}

async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'streams-worker.mts');
  const worker = fork(script, args, { execArgv: ['--expose-gc'] });
  await once(worker, 'message');
  return worker;
}

async function stop(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.send('stop');
  await ended;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The medians of the rounds, for each kind of slots. */
async function rowsOf(
  address: string,
  names: readonly SlotsName[],
  { rounds, ...load }: Load & { readonly rounds: number },
): Promise<readonly Row[]> {
  const samples = await inRounds(names, { rounds, warmUps: 0 }, (name) =>
    measure(address, name, load),
  );
  return [...samples].map(([name, figures]) => {
    const columns = Object.keys(figures[0] ?? {});
    const all = columns.map((column) => [column, figures.map((one) => one[column] ?? 0)] as const);
    const medians = all.map(([column, values]): [string, number] => [column, median(values)]);
    return { '': name, ...Object.fromEntries(medians) };
  });
}

export const streams: Section = {
  name: 'streams',
  title: 'Model calls at a time',
  anyServer: true,
  run: async ({ address, isQuick }) => {
    const load = isQuick
      ? { streams: 100, seconds: 3, perSecond: 5, prompt: 1_000, rounds: 1 }
      : { streams: 1_000, seconds: 30, perSecond: 5, prompt: 1_000, rounds: 1 };
    return {
      rows: await rowsOf(address, ['longhaul', 'sdk', 'tuner'], load),
      notes: [
        `${load.streams} runs on one worker, each with one model call that streams ${load.perSecond} chunks a second for ${load.seconds} s over HTTP. \`longhaul\`: the default slots. \`sdk\`: 100 activities. \`tuner\`: the SDK's resource-based tuner.`,
        'The CPU of a chunk is that of the whole worker, with the starts and ends of the runs. KiB a stream is what the main thread holds while all are open; 0 if that never happened.',
      ],
    };
  },
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      streams: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '30' },
      'per-second': { type: 'string', default: '5' },
      prompt: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '1' },
      slots: { type: 'string', default: 'longhaul,sdk,tuner' },
    },
  });
  await withServer(async (address) => {
    const rows = await rowsOf(address, values.slots.split(',') as SlotsName[], {
      streams: Number(values.streams),
      seconds: Number(values.seconds),
      perSecond: Number(values['per-second']),
      prompt: Number(values.prompt),
      rounds: Number(values.rounds),
    });
    for (const row of rows) console.log(row);
  });
}
