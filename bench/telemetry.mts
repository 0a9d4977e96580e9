// What telemetry adds to a turn (1 model call, 1 tool call of 4 KiB): CPU of the worker's process, and latency.
import type { Answer } from './answer-commands.mts';
import { type ContestantName, type Measured, withMeasured } from './measured.mts';
import { inRounds, median, ratioOf, ratioTarget, type Row, type Section } from './section.mts';

const names = [
  'longhaul',
  'longhaul-telemetry',
  'longhaul-telemetry-hangs',
  'longhaul-telemetry-content',
] as const;
const runs = 4;

type Samples = ReadonlyMap<Measured, readonly Answer[]>;

export const telemetry: Section = {
  name: 'telemetry',
  title: 'Telemetry',
  run: async ({ address, rounds, isQuick }) => {
    const turns = isQuick ? 10 : 50;
    const samples = await withMeasured(names, address, async (contestants) => {
      const measured = await inRounds(contestants, { rounds }, (one) =>
        one.ask({ kind: 'turns', turns, runs }),
      );
      checkThatAllSent(measured);
      return measured;
    });
    const figures = (name: ContestantName, key: 'ms' | 'cpuMs'): readonly number[] => {
      const [, answers = []] = [...samples].find(([one]) => one.name === name) ?? [];
      return answers.map((answer) => answer[key] / runs / turns);
    };
    const row = (name: ContestantName): Row => {
      const times = (key: 'ms' | 'cpuMs'): string => {
        const { least, median } = ratioOf(figures(name, key), figures('longhaul', key));
        return `${least.toFixed(2)}, ${median.toFixed(2)}`;
      };
      return {
        '': name,
        'ms, least': Math.min(...figures(name, 'ms')),
        'ms, median': median(figures(name, 'ms')),
        '× off': times('ms'),
        'CPU ms, least': Math.min(...figures(name, 'cpuMs')),
        'CPU ms, median': median(figures(name, 'cpuMs')),
        'CPU × off': times('cpuMs'),
      };
    };
    return {
      rows: names.map(row),
      targets: [
        ...ratioTarget(
          'CPU of a turn with telemetry, × off',
          [figures('longhaul-telemetry', 'cpuMs'), figures('longhaul', 'cpuMs')],
          { atMost: 1.05 },
        ),
        ...ratioTarget(
          'latency of a turn with an exporter that hangs, × off',
          [figures('longhaul-telemetry-hangs', 'ms'), figures('longhaul', 'ms')],
          { atMost: 1.05 },
        ),
      ],
      notes: [
        `${runs} runs of ${turns} turns at once; times are divided by all their turns. Telemetry is OpenTelemetry's SDK for Node with its OTLP exporter, which sends each half second, ten times as often as by default. The receiver is a process of its own, and its CPU does not count. \`-hangs\`: the receiver takes requests and never answers. \`-content\`: with \`content: 'full'\`.`,
      ],
    };
  },
};

/** A contestant that sends nothing would look cheap. */
function checkThatAllSent(samples: Samples): void {
  for (const [{ name }, answers] of samples) {
    const hasSent = (answers.at(-1)?.telemetryBytes ?? 0) > 0;
    if (hasSent !== (name !== 'longhaul'))
      throw new Error(`${name} ${hasSent ? 'sent' : 'did not send'} telemetry`);
  }
}
