// Tortures real servers and workers, and fails when anything is not as it would have been undisturbed.
// Usage: npm run torture -- [--seed N] [--minutes M | --rounds R] [--verbose] [--keep FOLDER]
//        npm run torture -- --soak [--minutes M]
// A seed that fails ends nothing: the next one is run, and the figures of all are printed in the end, when the exit code is 1.
// With --keep the server's data, the effects and what the workers wrote are kept of each seed that fails.
// Without options: a campaign of two minutes from seed 1. A round that fails is repeated by `--seed <its seed> --rounds 1`.

import { parseArgs } from 'node:util';
import { usualScale } from './random-plan.mts';
import { printCampaign, printRound } from './report.mts';
import { realEngine } from './real-engine.mts';
import { runRound, type RoundReport } from './round.mts';
import { soak } from './soak.mts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    rounds: { type: 'string' },
    soak: { type: 'boolean', default: false },
    keep: { type: 'string' },
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

async function campaign(): Promise<boolean> {
  const firstSeed = wholeNumber('seed', values.seed);
  const most = values.rounds === undefined ? Infinity : wholeNumber('rounds', values.rounds);
  const minutes = values.rounds === undefined ? wholeNumber('minutes', values.minutes) : Infinity;
  const rounds: RoundReport[] = [];
  const failed: number[] = [];
  let done = 0;
  for (let seed = firstSeed; done < most; seed += 1) {
    if (done > 0 && Date.now() > start + minutes * 60_000) break;
    done += 1;
    try {
      let isWrong = false;
      const engine = realEngine(() => (isWrong ? values.keep : undefined));
      const onWrong = (): void => void (isWrong = true);
      const round = await runRound({ seed, scale: usualScale, tell, engine, onWrong });
      printRound(round);
      rounds.push(round);
      if (round.wrongs.length > 0) failed.push(seed);
    } catch (error) {
      console.log(`  WRONG (seed ${seed}): the round did not begin or end: ${String(error)}`);
      failed.push(seed);
    }
  }
  printCampaign(rounds);
  for (const seed of failed) console.log(`repeat it: npm run torture -- --seed ${seed} --rounds 1`);
  return failed.length === 0;
}

const minutes = wholeNumber('minutes', values.minutes);
const isWell = values.soak ? await soak({ minutes, tell }) : await campaign();
process.exitCode = isWell ? 0 : 1;
