// Plays the table on the simulator, and prints what it comes to, as JSON. A process for itself: virtual time is for everything in it.
// Usage: node --import ./test/run-sources.mts test/simulator/conformance/simulated.mts [part of a name]

import { Simulation } from '../simulation.ts';
import type { SimWorker } from '../worker/sim-worker.ts';
import { pause, type Script } from './kit.ts';
import { workflowsOf } from '../worker/next-build.ts';
import { play, type Played } from './play.ts';
import { table } from './scripts/table.ts';

/** Virtual ms in which all that is under way at the end of a script has happened. */
const settledMs = 1_000;

const [, , wanted = ''] = process.argv;

async function simulate(script: Script, seed: number): Promise<Played> {
  const simulation = new Simulation(seed);
  return await simulation.run(async () => {
    const longhaul = await simulation.client();
    let worker: SimWorker | undefined;
    const { result, histories } = await play(script, {
      key: `conformance-${seed}`,
      longhaul,
      deploy: async (options, activities, build) => {
        worker?.kill();
        worker = simulation.worker({
          longhaul: options,
          activities,
          workflows: workflowsOf(build),
          mayFail: ({ message }) => message.includes('patch next-build-'),
        });
      },
    });
    await pause(settledMs);
    return { result, histories: await histories() };
  });
}

const played: Record<string, Played> = {};
for (const [index, script] of table.entries()) {
  if (!script.name.includes(wanted)) continue;
  try {
    played[script.name] = await simulate(script, index + 1);
  } catch (error) {
    const { message, stack = '' } = error as Error;
    played[script.name] = { result: { broken: message, stack }, histories: {} };
  }
}
process.stdout.write(JSON.stringify(played), () => process.exit(0));
