// The figures of a campaign, as tables.

import type { RoundReport } from './round.mts';

const MB = 1_000_000;
const inMB = (bytes: number): number => Math.round(bytes / MB);

export function printRound(round: RoundReport): void {
  const { seed, seconds, wrongs, requests, runs, claims, effects, before, after } = round;
  const verdict = wrongs.length === 0 ? 'the border held' : `${wrongs.length} wrong`;
  const { ms, request } = after.largestHold;
  console.log(
    `seed ${seed}: ${verdict}; ${seconds} s, ${requests} requests, ${runs} runs, ${claims} answers of 2xx looked up, ${effects} effects, ` +
      `${round.workersStarted} workers started; longest hold ${ms} ms (${request}); ` +
      `heap ${inMB(before.heapUsed)} to ${inMB(after.heapUsed)} MB, memory ${inMB(before.rss)} to ${inMB(after.rss)} MB`,
  );
  for (const wrong of wrongs) console.log(`  WRONG (seed ${seed}): ${wrong}`);
}

export function printCampaign(rounds: readonly RoundReport[]): void {
  console.log('\nRequests, by route and status (0: the connection ended without an answer):');
  console.table(Object.fromEntries(routesOf(rounds)));
  console.log('Refusals, by code:');
  const codes = new Map<string, number>();
  for (const [code, count] of rounds.flatMap((round) => [...round.codes]))
    codes.set(code, (codes.get(code) ?? 0) + count);
  console.table(Object.fromEntries([...codes].toSorted(([, left], [, right]) => right - left)));
  const sum = (count: (round: RoundReport) => number): number =>
    rounds.reduce((total, round) => total + count(round), 0);
  const most = (count: (round: RoundReport) => number): number => Math.max(0, ...rounds.map(count));
  console.table({
    seeds: rounds.length,
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    'runs and turns': sum(({ runs }) => runs),
    'answers of 2xx looked up': sum(({ claims }) => claims),
    'effects of tools': sum(({ effects }) => effects),
    'model calls': sum(({ modelCalls }) => modelCalls),
    'workers started': sum(({ workersStarted }) => workersStarted),
    'longest hold of the loop by a request, ms of CPU': most(({ after }) => after.largestHold.ms),
    'longest delay of the loop, ms of the clock': most(({ after }) => after.longestDelayMs),
    'most growth of the heap, MB': most(({ before, after }) =>
      inMB(after.heapUsed - before.heapUsed),
    ),
    'seeds with something wrong': rounds.filter(({ wrongs }) => wrongs.length > 0).length,
  });
}

function routesOf(rounds: readonly RoundReport[]): [string, Record<string, number>][] {
  const names = [...new Set(rounds.flatMap(({ statuses }) => [...statuses.keys()]))].toSorted();
  return names.map((name) => {
    const row: Record<string, number> = {};
    for (const { statuses } of rounds)
      for (const [status, count] of statuses.get(name) ?? [])
        row[status] = (row[status] ?? 0) + count;
    return [name, row];
  });
}
