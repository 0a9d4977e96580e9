// The campaign of torture in the simulator. Usage: npm run simulate -- [--seed N] [--runs M | --minutes M] [--verbose]

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
    dump: { type: 'string' },
  },
});

const { performance } = globalThis;
const now = performance.now.bind(performance);
const began = now();
const tell = (line: string): void => {
  if (values.verbose) console.log(line);
};
const rounds: RoundReport[] = [];
const most = Number(values.rounds ?? Infinity);
for (let seed = Number(values.seed); rounds.length < most; seed += 1) {
  if (rounds.length > 0 && now() - began > Number(values.minutes) * 60_000) break;
  const simulation = new Simulation(seed);
  const start = now();
  const report = await simulation.run<RoundReport>(() =>
    runRound({ seed, scale: usualScale, tell, engine: simEngine(simulation) }),
  );
  if (values.dump !== undefined)
    for (const execution of simulation.server.executions) {
      if (!execution.workflowId.includes(values.dump)) continue;
      console.log('EXECUTION', execution.workflowId, execution.runId, execution.status);
      for (const { id, at, name, attributes } of execution.history.events)
        console.log(
          ' ',
          id,
          new Date(at).toISOString().slice(14, 23),
          name,
          JSON.stringify(attributes, (_, value: unknown) =>
            value !== null && typeof value === 'object' && 'data' in value
              ? Buffer.from(value.data as Uint8Array).toString().slice(0, 300)
              : value,
          ).slice(0, 500),
        );
    }
  rounds.push(report);
  console.log(seed, `${Math.round(now() - start)} ms`, report.runs, report.threads, report.seconds, report.wrongs);
}
void printRound;
printCampaign(rounds);
process.exit();
