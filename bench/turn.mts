// What a turn of an agent takes (1 model call, 1 tool call of 4 KiB), beside the no-op activities it cannot do without and beside
// @temporalio/ai-sdk doing the same: latency, CPU of the worker's process, history. Each in turn, in one run, one process each.
// Usage, after `npm run build`: node bench/turn.mts [turns] [rounds]. TEMPORAL_ADDRESS names a server; without it a dev server is
// started. The peer, once: `npm ci --prefix bench/peers`.
import { connect } from 'longhaul/client';
import { withServer } from './bench-server.mts';
import { present, startMeasured, type ContestantName } from './measured.mts';
import { median } from './section.mts';

const turns = Number(process.argv[2] ?? 50);
const rounds = Number(process.argv[3] ?? 10);
const warmUps = 2;
const names = present(['bare', 'longhaul', 'longhaul-without-replica', 'ai-sdk']);

type Sample = { readonly ms: number; readonly cpuMs: number };

await withServer(async (address) => {
  const longhaul = await connect({ address });
  const contestants = names.map((name) => ({
    name,
    process: startMeasured(name, address),
    samples: [] as Sample[],
    workflowId: '',
  }));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const answer = await contestant.process.ask({ kind: 'turns', turns });
      contestant.workflowId = answer.workflowId;
      if (round >= 0) contestant.samples.push(answer);
    }
  }
  console.log(`Per turn, ${turns} turns, ${rounds} rounds:`);
  const rows: Partial<Record<ContestantName, Record<string, string>>> = {};
  for (const { name, samples, workflowId } of contestants) {
    const { historyLength, historySize = 0 } = await longhaul.client.workflow
      .getHandle(workflowId)
      .describe();
    rows[name] = {
      'ms, least': perTurn(Math.min(...samples.map(({ ms }) => ms))),
      'ms, median': perTurn(median(samples.map(({ ms }) => ms))),
      'CPU ms, least': perTurn(Math.min(...samples.map(({ cpuMs }) => cpuMs))),
      'CPU ms, median': perTurn(median(samples.map(({ cpuMs }) => cpuMs))),
      events: perTurn(historyLength),
      'history, bytes': perTurn(Number(historySize)),
    };
  }
  console.table(rows);
  await Promise.all(contestants.map(({ process }) => process.stop()));
  await longhaul.close();
});

function perTurn(value: number): string {
  return (value / turns).toFixed(1);
}
