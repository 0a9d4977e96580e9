// The campaign of torture in the simulator: the same plans, people, faults and verdicts, in memory, on virtual time.
// Usage: npm run simulate -- [--seed N] [--minutes M | --rounds R] [--texts BYTES] [--verbose]
//
// 1. With `--texts`, no text is longer than so many bytes. Then a round takes a fraction of its time.
// 2. A seed that goes wrong is tried again with fewer runs and faults, at most `--tries` times. What is left is printed as one command, with
//    `--only`, `--faults` and `--boundaries`. It repeats what happened, step for step.

import { parseArgs } from 'node:util';
import { Simulation } from '../test/simulator/simulation.ts';
import { startWatchdog } from '../test/simulator/watchdog.mts';
import { campaign, campaignOptions, wholeNumber } from './campaign.mts';
import { allOf, keep, type Kept, minimised, withShortTexts } from './simulate/smaller.mts';
import type { RoundPlan } from './torture/plan.mts';
import { planRound, usualScale } from './torture/random-plan.mts';
import { printCampaign, printRound } from './torture/report.mts';
import { type RoundReport, runRound } from './torture/round.mts';
import { simEngine } from './torture/sim-engine.mts';

const { values } = parseArgs({
  options: {
    ...campaignOptions,
    texts: { type: 'string' },
    tries: { type: 'string', default: '40' },
    only: { type: 'string' },
    faults: { type: 'string' },
    boundaries: { type: 'string' },
  },
});
const { texts } = values;
const mostBytes = texts === undefined ? undefined : wholeNumber('texts', texts);
const tries = wholeNumber('tries', values.tries);
const asked: Partial<Kept> = {
  ...(values.only !== undefined && { only: itemsOf(values.only) }),
  ...(values.faults !== undefined && { faults: itemsOf(values.faults).map(Number) }),
  ...(values.boundaries !== undefined && { boundaries: itemsOf(values.boundaries).map(Number) }),
};

/** ms. A step takes some milliseconds. */
const longestStep = 20_000;

const watchdog = startWatchdog(longestStep);

/** The real one: a simulation replaces it. */
const { hrtime } = process;
const smallest = new Map<number, Kept>();

const isWell = await campaign({
  name: 'simulate',
  values,
  now: () => Number(hrtime.bigint() / 1_000_000n),
  runRound: async (seed, tell) => {
    const all = { ...allOf(planRound(seed)), ...asked };
    const report = await simulated(seed, all, tell);
    const isWrong = async (kept: Kept): Promise<boolean> =>
      (await simulated(seed, kept, () => undefined)).wrongs.length > 0;
    if (report.wrongs.length > 0) smallest.set(seed, await minimised(all, isWrong, tries));
    return report;
  },
  printRound,
  printCampaign,
  repeat: (seed) => {
    const lists = Object.entries(smallest.get(seed) ?? asked).map(
      ([name, items]) => `--${name}=${items.join(',')}`,
    );
    return [
      `--seed ${seed} --rounds 1`,
      ...(texts === undefined ? [] : [`--texts ${texts}`]),
      ...lists,
    ].join(' ');
  },
});
process.exit(isWell ? 0 : 1);

function itemsOf(list: string): string[] {
  return list.split(',').filter((item) => item !== '');
}

/** A round that does not end is wrong, too. */
async function simulated(
  seed: number,
  kept: Partial<Kept>,
  tell: (line: string) => void,
): Promise<RoundReport> {
  watchdog.watch(seed);
  const simulation = new Simulation(seed);
  const adapt = (plan: RoundPlan): RoundPlan => {
    const smaller = keep(plan, kept);
    return mostBytes === undefined ? smaller : withShortTexts(smaller, mostBytes);
  };
  const engine = simEngine(simulation, adapt);
  const round = (): Promise<RoundReport> => runRound({ seed, scale: usualScale, tell, engine });
  return await simulation.run(round, watchdog.step);
}
