// What a turn of an agent takes (1 model call, 1 tool call of 4 KiB), beside the no-op activities it cannot do without and beside
// @temporalio/ai-sdk doing the same: latency, CPU of the worker's process, history.
import { connect, type Longhaul } from 'longhaul/client';
import { fetchHistories, measureHistory } from 'longhaul/testing';
import type { Answer } from './answer-commands.mts';
import { type ContestantName, type Measured, withMeasured } from './measured.mts';
import {
  type Bench,
  inRounds,
  median,
  ratioOf,
  ratioTarget,
  type Row,
  type Section,
  type Target,
} from './section.mts';

const names = [
  'bare',
  'longhaul',
  'longhaul-inline',
  'longhaul-inline-idempotent',
  'ai-sdk',
] as const;
/** The server ends a run of @temporalio/ai-sdk at about turn 154, because of its history. */
const mostTurns: Partial<Record<ContestantName, number>> = { 'ai-sdk': 150 };
/** The length for which there are targets. */
const usualTurns = 50;

type Figures = { readonly ms: readonly number[]; readonly cpuMs: readonly number[] };

type Measurement = Figures & {
  readonly name: ContestantName;
  readonly events: number;
  readonly bytes: number;
};

export const turn: Section = {
  name: 'turn',
  title: 'A turn',
  run: async (bench) => {
    const longhaul = await connect({ address: bench.address });
    const measured = await withMeasured(names, bench.address, async (contestants) => {
      const bySize = new Map<number, readonly Measurement[]>();
      for (const turns of bench.isQuick ? [10] : [10, usualTurns, 200]) {
        bySize.set(turns, await measure(longhaul, { bench, contestants, turns }));
      }
      return bySize;
    });
    await longhaul.close();
    return {
      rows: [...measured].flatMap(([turns, all]) => all.map((one) => rowOf(turns, one, all))),
      targets: targetsOf(measured.get(usualTurns) ?? []),
      notes: [
        'From the start of the run to its result, divided by its turns. CPU is that of the process with worker and client. Events and bytes are of all executions of a run.',
        "A turn is a model call and a tool call with a result of 4 KiB; for `bare`, two activities that do nothing. `longhaul-inline` reads while the model still writes; `longhaul-inline-idempotent` waits until the server has kept the model's response. `ai-sdk` stops at 150 turns: its history would pass the 50 MiB of the server.",
      ],
    };
  },
};

type Size = {
  readonly bench: Bench;
  readonly contestants: readonly Measured[];
  readonly turns: number;
};

async function measure(
  longhaul: Longhaul,
  { bench: { rounds }, contestants, turns }: Size,
): Promise<readonly Measurement[]> {
  const able = contestants.filter(({ name }) => turns <= (mostTurns[name] ?? Infinity));
  const how = turns <= usualTurns ? { rounds } : { rounds: Math.min(3, rounds), warmUps: 0 };
  const samples = await inRounds(able, how, (one) => one.ask({ kind: 'turns', turns }));
  return await Promise.all(
    [...samples].map(async ([{ name }, answers]) => ({
      name,
      ...(await historyOf(longhaul, answers[0])),
      ms: answers.map(({ ms }) => ms / turns),
      cpuMs: answers.map(({ cpuMs }) => cpuMs / turns),
    })),
  );
}

async function historyOf(
  longhaul: Longhaul,
  answer: Answer | undefined,
): Promise<{ readonly events: number; readonly bytes: number }> {
  const histories = await fetchHistories(longhaul, answer?.workflowIds[0] ?? '');
  const sizes = histories.map(measureHistory);
  return {
    events: sizes.reduce((sum, { events }) => sum + events, 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function rowOf(turns: number, one: Measurement, all: readonly Measurement[]): Row {
  const bare = all.find(({ name }) => name === 'bare') ?? one;
  const times = (key: 'ms' | 'cpuMs'): string => {
    const { least, median } = ratioOf(one[key], bare[key]);
    return `${least.toFixed(2)}, ${median.toFixed(2)}`;
  };
  return {
    turns,
    '': one.name,
    'ms, least': Math.min(...one.ms),
    'ms, median': median(one.ms),
    '× bare': times('ms'),
    'CPU ms, least': Math.min(...one.cpuMs),
    'CPU ms, median': median(one.cpuMs),
    'CPU × bare': times('cpuMs'),
    events: one.events / turns,
    'history, bytes': Math.round(one.bytes / turns),
  };
}

function targetsOf(all: readonly Measurement[]): readonly Target[] {
  const of = (name: ContestantName): Measurement | undefined =>
    all.find((one) => one.name === name);
  const [bare, inline] = [of('bare'), of('longhaul-inline')];
  const against = (who: string, one?: Measurement, other?: Measurement) =>
    [`latency of ${who}`, [one?.ms, other?.ms]] as const;
  return [
    ...ratioTarget(...against('an inline turn, × bare', inline, bare), { atMost: 0.75 }),
    ...ratioTarget(...against('an inline turn, × ai-sdk', inline, of('ai-sdk')), { atMost: 0.4 }),
    ...ratioTarget(...against('a turn, not inline, × bare', of('longhaul'), bare), { atMost: 1.2 }),
    ...(inline
      ? [
          {
            measure: 'events of an inline turn',
            least: inline.events / usualTurns,
            aim: { atMost: 7 },
          },
        ]
      : []),
  ];
}
