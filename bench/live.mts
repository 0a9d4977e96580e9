// Streams of runs, over HTTP: how late a token is at its reader, with 1 and with 100 runs at once, through deltas in the process and through
// PostgreSQL; and 1,000 open streams of 50 runs on one backend: what a stream holds, CPU, and whether each stream has what the log has.
// Usage, after `npm run build`: node bench/live.mts [--streams 1000] [--runs 50] [--seconds 30] [--per-second 5] [--rounds 3]
// [--only late,streams]. TEMPORAL_ADDRESS names a server; without it a dev server is started. All share the machine: the model, which is in
// the worker, the readers, PostgreSQL and the dev server.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from 'longhaul/client';
import { withServer } from './bench-server.mts';
import type { Held, LiveProcessSettings, Talk } from './live-process.mts';
import { StreamReader } from './live-reader.mts';
import { inRounds, median, type Row } from './section.mts';

type Started = {
  readonly backend: ChildProcess;
  readonly url: string;
  readonly taskQueue: string;
  readonly stop: () => Promise<void>;
};

type Place = { readonly address: string; readonly postgres: string };

const carriers = ['process', 'postgres'] as const;
type Carrier = (typeof carriers)[number];

/** One process with worker and backend, or one for each. */
async function start(carrier: Carrier, { address, postgres }: Place): Promise<Started> {
  const taskQueue = `live-${randomUUID()}`;
  const shared = { address, taskQueue };
  const roles: readonly LiveProcessSettings[] =
    carrier === 'process'
      ? [{ ...shared, roles: ['worker', 'backend'] }]
      : [
          { ...shared, roles: ['worker'], postgres },
          { ...shared, roles: ['backend'], postgres },
        ];
  const children = roles.map((settings) =>
    fork(join(import.meta.dirname, 'live-process.mts'), [JSON.stringify(settings)], {
      execArgv: ['--expose-gc'],
    }),
  );
  const ready = await Promise.all(children.map(async (child) => await firstMessage(child)));
  const { url } = ready.at(-1) as { url: string };
  const stop = async (): Promise<void> => {
    await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  };
  return { backend: children.at(-1) as ChildProcess, url, stop, taskQueue };
}

async function startRun(url: string, talk: Talk): Promise<string> {
  const response = await fetch(`${url}/talker/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: JSON.stringify(talk) }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { workflowId } = (await response.json()) as { workflowId: string };
  return workflowId;
}

function open(url: string, workflowId: string): StreamReader {
  return new StreamReader(`${url}/runs/${encodeURIComponent(workflowId)}/events`);
}

async function talkTo(url: string, talk: Talk): Promise<StreamReader> {
  return await open(url, await startRun(url, talk)).read;
}

type Lateness = { readonly first: readonly number[]; readonly all: readonly number[] };

function latenessOf(streams: readonly StreamReader[]): Lateness {
  const lost = streams.filter((stream) => !isWhole(stream));
  if (lost.length > 0) throw new Error(`${lost.length} streams are not whole`);
  return {
    first: streams.map(({ lateMs }) => lateMs[0] ?? Number.NaN),
    all: streams.flatMap(({ lateMs }) => lateMs),
  };
}

/** The readers are there before the first token. */
async function measureLateness(
  place: Place,
  { carrier, atOnce }: { readonly carrier: Carrier; readonly atOnce: number },
): Promise<Lateness> {
  const { url, stop } = await start(carrier, place);
  try {
    await talkTo(url, { afterMs: 0, tokens: 3, everyMs: 10 });
    if (atOnce > 1) {
      const talk = { afterMs: 8_000, tokens: 40, everyMs: 100 };
      return latenessOf(await Promise.all(Array.from({ length: atOnce }, () => talkTo(url, talk))));
    }
    const streams: StreamReader[] = [];
    for (let run = 0; run < 15; run += 1)
      streams.push(await talkTo(url, { afterMs: 500, tokens: 20, everyMs: 50 }));
    return latenessOf(streams);
  } finally {
    await stop();
  }
}

async function latenessRows(place: Place, rounds: number): Promise<readonly Row[]> {
  const contestants = [1, 100].flatMap((atOnce) =>
    carriers.map((carrier) => ({ carrier, atOnce })),
  );
  const samples = await inRounds(contestants, { rounds, warmUps: 0 }, (contestant) =>
    measureLateness(place, contestant),
  );
  return [...samples].map(([{ carrier, atOnce }, found]) => {
    const first = found.flatMap((one) => one.first);
    const all = found.flatMap((one) => one.all);
    return {
      deltas: carrier,
      'runs at once': atOnce,
      'first token p50, ms': median(first),
      'p99, ms': percentile(first, 99),
      'any token p50, ms': median(all),
      'p99, ms ': percentile(all, 99),
      'first tokens': first.length,
      tokens: all.length,
    };
  });
}

type Load = {
  readonly streams: number;
  readonly runs: number;
  readonly seconds: number;
  readonly perSecond: number;
};

/** One stream a run first, so that the difference is that of the streams alone. */
async function streamRows(place: Place, load: Load): Promise<readonly Row[]> {
  const { url, backend, stop, taskQueue } = await start('postgres', place);
  const longhaul = await connect({ address: place.address, taskQueue });
  try {
    await talkTo(url, { afterMs: 0, tokens: 3, everyMs: 10 });
    const tokens = load.seconds * load.perSecond;
    const talk = { afterMs: 15_000, tokens, everyMs: 1_000 / load.perSecond };
    const before = await heldBy(backend);
    const begun = performance.now();
    const runs = await Promise.all(Array.from({ length: load.runs }, () => startRun(url, talk)));
    const opening = (from: number, to: number): readonly StreamReader[] =>
      Array.from({ length: to - from }, (_, index) =>
        open(url, runs[(from + index) % runs.length] ?? ''),
      );
    const firstOnes = opening(0, load.runs);
    await Promise.all(firstOnes.map(({ opened }) => opened));
    const few = await heldBy(backend);
    const others = opening(load.runs, load.streams);
    await Promise.all(others.map(({ opened }) => opened));
    const many = await heldBy(backend);
    const allOpenAfter = performance.now() - begun;
    const streams = await Promise.all([...firstOnes, ...others].map(({ read }) => read));
    const ms = performance.now() - begun;
    const after = await heldBy(backend);
    const logs = await Promise.all(
      runs.map(async (run) => (await longhaul.run(run).result()).finalResponse.text),
    );
    const lossy = streams.filter(
      (stream, index) => !isWhole(stream) || stream.text !== logs[index % logs.length],
    );
    const late = streams.flatMap(({ lateMs }) => lateMs);
    const more = load.streams - load.runs;
    return [
      {
        streams: streams.length,
        runs: runs.length,
        'all open, s': allOpenAfter / 1_000,
        'wall, s': ms / 1_000,
        'streams with a loss': lossy.length,
        'tokens of all streams': late.length,
        'pieces of a stream': median(streams.map(({ pieces }) => pieces)),
        'token p50, ms': median(late),
        'p99, ms': percentile(late, 99),
        'CPU of the backend, s': (after.cpuMs - before.cpuMs) / 1_000,
        'heap of a stream, KiB': (many.heap - few.heap) / more / 1_024,
        'RSS of a stream, KiB': (many.rss - few.rss) / more / 1_024,
        'heap of a run and its stream, KiB': (few.heap - before.heap) / load.runs / 1_024,
        'RSS with all, MiB': many.rss / 1_024 ** 2,
      },
    ];
  } finally {
    await longhaul.close();
    await stop();
  }
}

function isWhole({ text, logged, hasEnded }: StreamReader): boolean {
  return hasEnded && text !== '' && text === logged;
}

async function heldBy(child: ChildProcess): Promise<Held> {
  child.send('held');
  return (await firstMessage(child)) as Held;
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as unknown[];
  return message;
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

async function withPostgres(work: (url: string) => Promise<void>): Promise<void> {
  const script = join(import.meta.dirname, '../test/contract/postgres-server.mts');
  const server = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  try {
    await work(String(line).trim());
  } finally {
    const ended = once(server, 'exit');
    server.stdin.end();
    await ended;
  }
}

function print(rows: readonly Row[]): void {
  const loads = loadavg().map((load) => load.toFixed(1));
  console.log(`load of the machine: ${loads.join(', ')} (1, 5 and 15 minutes)`);
  for (const row of rows) console.log(row);
}

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '30' },
    'per-second': { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'late,streams' },
  },
});
await withServer(async (address) => {
  await withPostgres(async (postgres) => {
    const place = { address, postgres };
    const parts = values.only.split(',');
    if (parts.includes('late')) print(await latenessRows(place, Number(values.rounds)));
    if (!parts.includes('streams')) return;
    const load = {
      streams: Number(values.streams),
      runs: Number(values.runs),
      seconds: Number(values.seconds),
      perSecond: Number(values['per-second']),
    };
    print(await streamRows(place, load));
  });
});
