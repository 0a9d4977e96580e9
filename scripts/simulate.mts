// The campaign of torture in the simulator: the same plans, people, faults and verdicts, in memory, on virtual time.
// Usage: npm run simulate -- [--seed N] [--minutes M | --rounds R] [--verbose]
// A seed that fails is repeated by `--seed <its seed> --rounds 1`, step for step.

import { parseArgs } from 'node:util';
import { Simulation } from '../test/simulator/simulation.ts';
import { simEngine } from './torture/sim-engine.mts';
import { usualScale } from './torture/random-plan.mts';
import { printCampaign, printRound } from './torture/report.mts';
import { runRound, type RoundReport } from './torture/round.mts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    rounds: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

/** The real one: a simulation replaces it. */
const { hrtime } = process;
const seconds = (): number => Number(hrtime.bigint()) / 1e9;
const tell = (line: string): void => {
  if (values.verbose) console.log(line);
};
const start = seconds();
const most = Number(values.rounds ?? Infinity);
const longest = values.rounds === undefined ? Number(values.minutes) * 60 : Infinity;
const rounds: RoundReport[] = [];
const failed: number[] = [];
for (let seed = Number(values.seed); rounds.length < most; seed += 1) {
  if (rounds.length > 0 && seconds() - start > longest) break;
  const simulation = new Simulation(seed);
  const engine = simEngine(simulation);
  const report = await simulation.run<RoundReport>(() =>
    runRound({ seed, scale: usualScale, tell, engine }),
  );
  printRound(report);
  rounds.push(report);
  if (report.wrongs.length > 0) failed.push(seed);
}
printCampaign(rounds);
console.log(`${(seconds() - start).toFixed(0)} s`);
for (const seed of failed) console.log(`repeat it: npm run simulate -- --seed ${seed} --rounds 1`);
process.exit(failed.length === 0 ? 0 : 1);
