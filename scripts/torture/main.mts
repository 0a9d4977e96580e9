// Tortures real servers and workers, and fails when anything is not as it would have been undisturbed.
// Usage: npm run torture -- [--seed N] [--minutes M | --rounds R] [--verbose] [--keep FOLDER]
//        npm run torture -- --soak [--minutes M]
// A seed that fails ends nothing: the next one is run, and the figures of all are printed in the end, when the exit code is 1.
// With --keep the server's data, the effects and what the workers wrote are kept of each seed that fails.
// Without options: a campaign of two minutes from seed 1. A round that fails is repeated by `--seed <its seed> --rounds 1`.

import { parseArgs } from 'node:util';
import { campaign, campaignOptions, teller, wholeNumber } from '../campaign.mts';
import { usualScale } from './random-plan.mts';
import { realEngine } from './real-engine.mts';
import { printCampaign, printRound } from './report.mts';
import { runRound } from './round.mts';
import { soak } from './soak.mts';

const { values } = parseArgs({
  options: {
    ...campaignOptions,
    soak: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});

const engine = realEngine(values.keep);
const isWell = values.soak
  ? await soak({
      minutes: wholeNumber('minutes', values.minutes),
      tell: teller(values, Date.now),
    })
  : await campaign({
      name: 'torture',
      values,
      runRound: (seed, tell) => runRound({ seed, scale: usualScale, tell, engine }),
      printRound,
      printCampaign,
    });
process.exitCode = isWell ? 0 : 1;
