// The figures of a campaign, as tables.

import { faultKinds, moments } from './plan.mts';
import type { RoundReport } from './round.mts';

export function printRound({ seed, seconds, wrongs, happened, ...counts }: RoundReport): void {
  const verdict = wrongs.length === 0 ? 'all as expected' : `${wrongs.length} wrong`;
  const { runs, threads, modelCalls, effects, workersStarted, serverRestarts } = counts;
  console.log(
    `seed ${seed}: ${verdict}; ${seconds} s, ${runs} runs, ${threads} threads, ${modelCalls} model calls, ${effects} effects, ` +
      `${happened.length} faults, ${workersStarted} workers started, ${serverRestarts} server restarts`,
  );
  for (const wrong of wrongs) console.log(`  WRONG (seed ${seed}): ${wrong}`);
}

export function printCampaign(rounds: readonly RoundReport[]): void {
  const sum = (count: (round: RoundReport) => number): number =>
    rounds.reduce((total, round) => total + count(round), 0);
  const most = (count: (round: RoundReport) => number): number => Math.max(0, ...rounds.map(count));
  const happened = rounds.flatMap((round) => round.happened);
  console.log('\nFaults, by what the worker was doing that it met or that was counted:');
  const ofKind = (kind: string, moment?: string): number =>
    happened.filter((one) => one.kind === kind && (moment ?? one.moment) === one.moment).length;
  console.table(
    Object.fromEntries(
      faultKinds.map((kind) => [
        kind,
        {
          all: ofKind(kind),
          ...Object.fromEntries(moments.map((moment) => [moment, ofKind(kind, moment)])),
        },
      ]),
    ),
  );
  console.table({
    seeds: rounds.length,
    seconds: sum(({ seconds }) => seconds),
    runs: sum(({ runs }) => runs),
    threads: sum(({ threads }) => threads),
    'model calls': sum(({ modelCalls }) => modelCalls),
    'effects of tools': sum(({ effects }) => effects),
    'honest OutcomeUnknown': sum(({ unknowns }) => unknowns),
    'told "it was not called"': sum(({ notMade }) => notMade),
    'model calls disturbed': sum(({ modelFaults }) => modelFaults),
    'answers of people': sum(({ answers }) => answers),
    'workers started': sum(({ workersStarted }) => workersStarted),
    'server restarts': sum(({ serverRestarts }) => serverRestarts),
    'calls told "not there now"': sum(({ toldAway }) => toldAway),
    executions: sum(({ figures }) => figures.executions),
    'most executions of a run': most(({ figures }) => figures.mostExecutions),
    'largest history, bytes': most(({ figures }) => figures.largestBytes),
    'longest history, events': most(({ figures }) => figures.longestEvents),
    'workflow tasks timed out': sum(({ figures }) => figures.tasksTimedOut),
    'seeds with something wrong': rounds.filter(({ wrongs }) => wrongs.length > 0).length,
  });
}
