// Pure: no server. Random histories of runs, attempts, resets and processes, with a fixed seed.
import fc from 'fast-check';
import type { LogCacheStatistics } from '../../../../src/activities/log/log-cache';
import { script, type Script } from './log-steps';
import { injectedFailure, SimulatedWorkers } from './simulated-workers';

const seed = 20_261_121;
const numRuns = 400;

type Ended = { readonly statistics: LogCacheStatistics; readonly failed: number };

/** Plays a script, overlapping all reads; every read gives the truth or the failure that was injected into it. */
async function play(played: Script, scheduler: fc.Scheduler): Promise<Ended> {
  const workers = new SimulatedWorkers(played, scheduler);
  const settle = async () =>
    await scheduler.waitFor(Promise.allSettled(workers.readings.map(({ entries }) => entries)));
  for (const step of played.steps) {
    if (step.kind !== 'progress') workers.apply(step);
    else if (step.whole) await settle();
    else if (scheduler.count() > 0) await scheduler.waitOne();
    else await Promise.resolve();
  }
  workers.readAll();
  const settled = await settle();
  settled.forEach((reading, index) => {
    const { truth } = workers.readings[index] as (typeof workers.readings)[number];
    if (reading.status === 'fulfilled') expectSame(reading.value, truth);
    else expectSame(String(reading.reason), `Error: ${injectedFailure}`);
  });
  const failed = settled.filter(({ status }) => status === 'rejected').length;
  return { statistics: workers.statistics, failed };
}

/** Equal as JSON text, which is quick; the matcher is only asked for the difference. */
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toStrictEqual(expected);
}

describe(`LogCache, by random histories (seed ${seed})`, () => {
  it('always reads what the run holds, whatever was lost, reset, restarted or let go', async () => {
    const total = { hits: 0, pagesRead: 0, diverged: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (played, scheduler) => {
        const { statistics, failed } = await play(played, scheduler);
        total.hits += statistics.hits;
        total.pagesRead += statistics.pagesRead;
        total.diverged += statistics.diverged;
        total.failed += failed;
      }),
      { seed, numRuns },
    );
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(20);
  });
});
