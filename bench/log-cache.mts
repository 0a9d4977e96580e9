// How often a model call finds the log of its run in the memory of its worker, and what it costs if not.
import { randomUUID } from 'node:crypto';
import { type ContestantName, type Measured, startMeasured } from './measured.mts';
import { inRounds, median, ratioOf, type Row, type Section } from './section.mts';

type Case = { readonly name: ContestantName; readonly workers: number };

const cases: readonly Case[] = [
  { name: 'longhaul', workers: 1 },
  { name: 'longhaul', workers: 2 },
  { name: 'longhaul-inline', workers: 2 },
  { name: 'longhaul-uncached', workers: 1 },
];
const turns = 10;

type Sample = { readonly reads: number; readonly ms: number };

export const logCache: Section = {
  name: 'log-cache',
  title: 'The log cache of a worker',
  run: async ({ address, rounds, isQuick }) => {
    const runs = isQuick ? 4 : 20;
    const started = cases.map((one) => ({ ...one, processes: startAll(one, address) }));
    const samples = await inRounds(started, { rounds }, ({ processes }) =>
      measure(processes, runs),
    );
    await Promise.all(started.flatMap(({ processes }) => processes.map((one) => one.stop())));
    const hits = [...samples][0]?.[1].map(({ ms }) => ms) ?? [];
    return {
      rows: [...samples].map(([one, all]): Row => {
        const reads = all.reduce((sum, sample) => sum + sample.reads, 0);
        const calls = all.length * runs * turns;
        const { least, median: middle } = ratioOf(
          all.map(({ ms }) => ms),
          hits,
        );
        return {
          '': one.name,
          workers: one.workers,
          'model calls': calls,
          'reads of the log': String(reads),
          'found in memory': `${((1 - reads / calls) * 100).toFixed(1)} %`,
          'ms a turn, median': median(all.map(({ ms }) => ms)),
          '× first row': `${least.toFixed(2)}, ${middle.toFixed(2)}`,
        };
      }),
      notes: [
        `${runs} runs of ${turns} turns at once. A read is a query of the run by its worker. \`longhaul-uncached\` has a log cache of no bytes: every call but the first reads.`,
      ],
    };
  },
};

/** Workers of one task queue, each in a process of its own. The first one is the client, too. */
function startAll({ name, workers }: Case, address: string): readonly Measured[] {
  const taskQueue = randomUUID();
  return Array.from({ length: workers }, () => startMeasured(name, address, taskQueue));
}

async function measure(processes: readonly Measured[], runs: number): Promise<Sample> {
  const before = await readsOf(processes);
  const answer = await processes[0]?.ask({ kind: 'turns', turns, runs });
  return { reads: (await readsOf(processes)) - before, ms: (answer?.ms ?? 0) / runs / turns };
}

async function readsOf(processes: readonly Measured[]): Promise<number> {
  const answers = await Promise.all(processes.map((one) => one.ask({ kind: 'look' })));
  return answers.reduce((sum, { logReads }) => sum + logReads, 0);
}
