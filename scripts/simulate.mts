// The campaign of torture in the simulator: the same plans, people, faults and verdicts, in memory, on virtual time.
// Usage: npm run simulate -- [--seed N] [--minutes M | --rounds R] [--verbose]
// A seed that fails is repeated by `--seed <its seed> --rounds 1`, step for step.

import { parseArgs } from 'node:util';
import { Simulation } from '../test/simulator/simulation.ts';
import { startWatchdog } from '../test/simulator/watchdog.mts';
import { campaign, campaignOptions } from './campaign.mts';
import { usualScale } from './torture/random-plan.mts';
import { printCampaign, printRound } from './torture/report.mts';
import { runRound } from './torture/round.mts';
import { simEngine } from './torture/sim-engine.mts';

const { values } = parseArgs({ options: campaignOptions });

/** ms. A step takes some milliseconds. */
const longestStep = 20_000;

const watchdog = startWatchdog(longestStep);

/** The real one: a simulation replaces it. */
const { hrtime } = process;

const isWell = await campaign({
  name: 'simulate',
  values,
  now: () => Number(hrtime.bigint() / 1_000_000n),
  runRound: async (seed, tell) => {
    watchdog.watch(seed);
    const simulation = new Simulation(seed);
    const engine = simEngine(simulation);
    const round = (): ReturnType<typeof runRound> =>
      runRound({ seed, scale: usualScale, tell, engine });
    return await simulation.run(round, watchdog.step);
  },
  printRound,
  printCampaign,
});
process.exit(isWell ? 0 : 1);
