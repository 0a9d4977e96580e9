// Fifty people who mean harm, before `agentHandler`. Fails when anybody gets, changes or holds up what is not theirs.
// Usage: npm run hostile -- [--seed N] [--minutes M | --rounds R] [--verbose]
// Without options: a campaign of two minutes from seed 1. A round that fails is repeated by `--seed <its seed> --rounds 1`: it sends the same
// requests, but which of them meet depends on the machine.

import { parseArgs } from 'node:util';
import { campaign, campaignOptions } from '../campaign.mts';
import { printCampaign, printRound } from './report.mts';
import { runRound, type RoundReport } from './round.mts';

const { values } = parseArgs({ options: campaignOptions });

/** Operations that no play of any round tried: a new route needs a play. */
function untriedIn(rounds: readonly RoundReport[]): readonly string[] {
  const [first, ...others] = rounds;
  return (first?.untried ?? []).filter((name) =>
    others.every(({ untried }) => untried.includes(name)),
  );
}

const isWell = await campaign({
  name: 'hostile',
  values,
  runRound: (seed, tell) => runRound({ seed, tell }),
  printRound,
  printCampaign,
  wrongsOf: (rounds) => untriedIn(rounds).map((name) => `no play tries ${name}`),
});
process.exitCode = isWell ? 0 : 1;
