// What a worker takes beside its turns: from the start of its process to its first finished run, with a prebuilt bundle, and memory
// per run that waits for a person; beside plain workflows that wait for a signal and beside @temporalio/ai-sdk. Each in turn.
// Usage, after `npm run build`: node bench/footprint.mts [runs] [rounds]. TEMPORAL_ADDRESS names a server; without it a dev server is
// started. The peer, once: `npm ci --prefix bench/peers`.
import { withServer } from './bench-server.mts';
import { present, startMeasured, type ContestantName } from './measured.mts';
import { median } from './section.mts';

const runs = Number(process.argv[2] ?? 500);
const rounds = Number(process.argv[3] ?? 5);
/** Runs that wait before the memory is first looked at. */
const warmUps = 100;
const names = present(['bare', 'longhaul', 'ai-sdk']);

/** From nothing to the result of an agent that called one tool. */
async function coldStart(name: ContestantName, address: string): Promise<number> {
  const start = performance.now();
  const measured = startMeasured(name, address);
  await measured.ask({ kind: 'turns', turns: 2 });
  const time = performance.now() - start;
  await measured.stop();
  return time;
}

async function idleMemory(name: ContestantName, address: string): Promise<number> {
  const measured = startMeasured(name, address);
  const before = await measured.ask({ kind: 'wait', runs: warmUps });
  const after = await measured.ask({ kind: 'wait', runs });
  await measured.stop();
  return (after.rssBytes - before.rssBytes) / runs / 1024;
}

type Samples = { readonly name: ContestantName; readonly cold: number[]; readonly idle: number[] };

await withServer(async (address) => {
  const samples = names.map((name): Samples => ({ name, cold: [], idle: [] }));
  for (const { name } of samples) await coldStart(name, address);
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, cold } of samples) cold.push(await coldStart(name, address));
    for (const { name, idle } of samples) idle.push(await idleMemory(name, address));
  }
  console.log(`${rounds} rounds, ${runs} runs that wait:`);
  console.table(
    Object.fromEntries(
      samples.map(({ name, cold, idle }) => [
        name,
        {
          'cold start ms, least': Math.round(Math.min(...cold)),
          'cold start ms, median': Math.round(median(cold)),
          'KiB a waiting run, least': Math.round(Math.min(...idle)),
          'KiB a waiting run, median': Math.round(median(idle)),
        },
      ]),
    ),
  );
});
