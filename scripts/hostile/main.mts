// Fifty people who mean harm, before `agentHandler`. Fails when anybody gets, changes or holds up what is not theirs.
// Usage: npm run hostile -- [--seed N] [--minutes M | --rounds R] [--verbose]
// Without options: a campaign of two minutes from seed 1. A round that fails is repeated by `--seed <its seed> --rounds 1`: it sends the same
// requests, but which of them meet depends on the machine.

import { parseArgs } from 'node:util';
import { printCampaign, printRound } from './report.mts';
import { runRound, type RoundReport } from './round.mts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    rounds: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

function wholeNumber(name: 'seed' | 'minutes' | 'rounds', text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} must be a whole number, not '${text}'`);
}

const start = Date.now();
const tell = (line: string): void => {
  if (values.verbose) console.log(`${((Date.now() - start) / 1_000).toFixed(1)} s: ${line}`);
};

/** Operations that no play of any round tried: a new route needs a play. */
function untriedIn(rounds: readonly RoundReport[]): readonly string[] {
  const [first, ...others] = rounds;
  return (first?.untried ?? []).filter((name) =>
    others.every(({ untried }) => untried.includes(name)),
  );
}

async function campaign(): Promise<boolean> {
  const firstSeed = wholeNumber('seed', values.seed);
  const most = values.rounds === undefined ? Infinity : wholeNumber('rounds', values.rounds);
  const minutes = values.rounds === undefined ? wholeNumber('minutes', values.minutes) : Infinity;
  const rounds: RoundReport[] = [];
  const failed: number[] = [];
  for (let seed = firstSeed; seed < firstSeed + most; seed += 1) {
    if (seed > firstSeed && Date.now() > start + minutes * 60_000) break;
    try {
      const round = await runRound({ seed, tell });
      printRound(round);
      rounds.push(round);
      if (round.wrongs.length > 0) failed.push(seed);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.log(`  WRONG (seed ${seed}): the round did not begin or end: ${text}`);
      failed.push(seed);
    }
  }
  printCampaign(rounds);
  const untried = untriedIn(rounds);
  for (const name of untried) console.log(`WRONG: no play tries ${name}`);
  for (const seed of failed) console.log(`repeat it: npm run hostile -- --seed ${seed} --rounds 1`);
  return failed.length + untried.length === 0;
}

process.exitCode = (await campaign()) ? 0 : 1;
