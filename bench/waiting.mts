// The memory that a worker takes for a run that waits for a person and is in its cache, beside a plain workflow that waits for a
// signal, and beside an agent of @temporalio/ai-sdk that waits.
import { type Measured, withMeasured } from './measured.mts';
import { inRounds, median, ratioTarget, type Section } from './section.mts';

const names = ['bare', 'longhaul', 'ai-sdk'] as const;
/** Runs that wait before the memory is first looked at. */
const warmUps = 100;

export const waiting: Section = {
  name: 'waiting',
  title: 'Memory of waiting runs',
  anyServer: true,
  run: async ({ address, isQuick }) =>
    await withMeasured(names, address, async (contestants) => {
      const step = isQuick ? 20 : 200;
      const rounds = isQuick ? 1 : 5;
      const before = new Map<Measured, number>();
      for (const one of contestants) before.set(one, await waitIn(one, isQuick ? 20 : warmUps));
      const samples = await inRounds(contestants, { rounds, warmUps: 0 }, (one) =>
        waitIn(one, step),
      );
      /** KiB for each run, and for each run of every step. */
      const sizes = [...samples].map(([one, memory]) => {
        const all = [before.get(one) ?? 0, ...memory];
        const each = all.slice(1).map((bytes, at) => (bytes - (all[at] ?? 0)) / step / 1_024);
        return { name: one.name, each, mean: each.reduce((sum, size) => sum + size, 0) / rounds };
      });
      const mean = new Map(sizes.map(({ name, mean }) => [name, [mean]]));
      return {
        rows: sizes.map(({ name, each, mean }) => ({
          '': name,
          'KiB a run': mean,
          'least step': Math.min(...each),
          'median step': median(each),
        })),
        targets: ratioTarget(
          'memory of a waiting run, × bare',
          [mean.get('longhaul'), mean.get('bare')],
          { atMost: 1.3 },
        ),
        notes: [
          `By how much the resident memory of the worker's process grows with ${step * rounds} waiting runs, all in its cache, after ${warmUps} others; and in steps of ${step} runs.`,
        ],
      };
    }),
};

/** So many more runs wait; then the memory of the process, in bytes. */
async function waitIn(measured: Measured, runs: number): Promise<number> {
  return (await measured.ask({ kind: 'wait', runs })).rssBytes;
}
