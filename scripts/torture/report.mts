// The figures of a campaign, as tables.

import {
  activities,
  boundaryKinds,
  boundaryMoments,
  faultKinds,
  moments,
  type ActivityName,
} from './plan.mts';
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
  printFaults(rounds);
  printBoundaries(rounds);
  printResets(rounds);
  const sum = (count: (round: RoundReport) => number): number =>
    rounds.reduce((total, round) => total + count(round), 0);
  const most = (count: (round: RoundReport) => number): number => Math.max(0, ...rounds.map(count));
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
    'questions about budgets': sum(({ budgetQuestions }) => budgetQuestions),
    'votes of those who may not': sum(({ forbidden }) => forbidden),
    'messages while runs worked': sum(({ asides }) => asides),
    'results by token': sum(({ laterResults }) => laterResults),
    'forged tokens': sum(({ forgedTokens }) => forgedTokens),
    summaries: sum(({ summaries }) => summaries),
    'streams followed': sum(({ watched }) => watched),
    'refused for a limit': sum(({ refusals }) => refusals),
    'workers started': sum(({ workersStarted }) => workersStarted),
    'server restarts': sum(({ serverRestarts }) => serverRestarts),
    'PostgreSQL restarts': sum(({ storeKills }) => storeKills),
    'calls told "not there now"': sum(({ toldAway }) => toldAway),
    executions: sum(({ figures }) => figures.executions),
    'most executions of a run': most(({ figures }) => figures.mostExecutions),
    'largest history, bytes': most(({ figures }) => figures.largestBytes),
    'longest history, events': most(({ figures }) => figures.longestEvents),
    'workflow tasks timed out': sum(({ figures }) => figures.tasksTimedOut),
    'updates answered again': sum(({ figures }) => figures.answeredAgain),
    'seeds with something wrong': rounds.filter(({ wrongs }) => wrongs.length > 0).length,
  });
}

function printFaults(rounds: readonly RoundReport[]): void {
  const happened = rounds.flatMap((round) => round.happened);
  const ofKind = (kind: string, moment?: string): number =>
    happened.filter((one) => one.kind === kind && (moment ?? one.moment) === one.moment).length;
  console.log('\nFaults, by what the worker was doing that it met or that was counted:');
  const rows = faultKinds.map((kind) => [
    kind,
    { all: ofKind(kind), ...tableOf(moments, (moment) => ofKind(kind, moment)) },
  ]);
  console.table(Object.fromEntries(rows));
}

/** How often a worker was killed, shut down or frozen as each activity began or was done. */
function printBoundaries(rounds: readonly RoundReport[]): void {
  const met = rounds.flatMap((round) => round.met);
  const places = boundaryMoments.flatMap((moment) =>
    boundaryKinds.map((kind) => ({ moment, kind })),
  );
  const countOf = (activity: ActivityName, { moment, kind }: (typeof places)[number]): number =>
    met.filter((one) => one.activity === activity && one.moment === moment && one.kind === kind)
      .length;
  const shortOf = ({ moment, kind }: (typeof places)[number]): string =>
    `${moment === 'activity begins' ? 'begins' : 'done'}: ${kind}`;
  const rowOf = (activity: ActivityName) =>
    Object.fromEntries(places.map((place) => [shortOf(place), countOf(activity, place)]));
  console.log('Workers killed, shut down and frozen as an activity began or was done:');
  console.table(tableOf(activities, rowOf));
  const missing = activities.flatMap((activity) =>
    places.filter((place) => countOf(activity, place) === 0),
  ).length;
  const all = activities.length * places.length;
  console.log(`Of ${all} such boundaries ${all - missing} were met.`);
}

function printResets(rounds: readonly RoundReport[]): void {
  const resets = rounds.flatMap((round) => round.resets);
  const kinds = [...new Set(resets)].toSorted();
  console.log('Resets that were done:');
  console.table(tableOf(kinds, (kind) => resets.filter((one) => one === kind).length));
}

function tableOf<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): { readonly [name: string]: Value } {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
