// Measures Longhaul beside bare activities and @temporalio/ai-sdk, prints it and writes it to bench/RESULTS.md.
// Usage: npm run bench -- [--server dev|<address>]... [--only <section>,...] [--quick] [--rounds 5] [--server-pids <pid>,...]
//   --server       default: TEMPORAL_ADDRESS, else a dev server of its own; may be given several times
//   --only         these sections; the others keep their former text
//   --quick        a smoke test of two minutes, which writes nothing
//   --server-pids  the processes of a given server on this machine, so that their CPU does not count as that of others
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Connection } from '@temporalio/client';
import { usualServer, withServer } from './bench-server.mts';
import { coldStart } from './cold-start.mts';
import { continueAsNew } from './continue.mts';
import { logCache } from './log-cache.mts';
import { hasPeers } from './measured.mts';
import { noiseSince } from './noise.mts';
import { recovery } from './recovery.mts';
import { replay } from './replay.mts';
import { requests } from './requests.mts';
import { Report, type ServerKind } from './report.mts';
import type { Section } from './section.mts';
import { telemetry } from './telemetry.mts';
import { throughput } from './throughput.mts';
import { turn } from './turn.mts';
import { waiting } from './waiting.mts';

const sections: readonly Section[] = [
  turn,
  throughput,
  telemetry,
  requests,
  continueAsNew,
  logCache,
  replay,
  waiting,
  coldStart,
  recovery,
];
const names = sections.map(({ name }) => name);

const { values } = parseArgs({
  options: {
    server: { type: 'string', multiple: true, default: [usualServer] },
    only: { type: 'string', default: names.join(',') },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    'server-pids': { type: 'string', default: '' },
  },
});
const chosen = values.only.split(',').map((name) => {
  const found = sections.find((section) => section.name === name);
  if (found === undefined) throw new Error(`--only ${name}: choose from ${names.join(', ')}`);
  return found;
});
const isQuick = values.quick;
const rounds = isQuick ? 1 : Number(values.rounds);
const serverPids = values['server-pids'].split(',').filter(Boolean).map(Number);
const report = new Report(isQuick ? '/dev/null' : join(import.meta.dirname, 'RESULTS.md'), names);

if (!hasPeers)
  console.log('Without @temporalio/ai-sdk: `npm ci --prefix bench/peers` installs it.');
for (const server of values.server) {
  await withServer(
    async (address) => await measure(address, server === 'dev' ? 'dev' : 'given'),
    server,
  );
}

async function measure(address: string, kind: ServerKind): Promise<void> {
  report.describe(kind, await titleOf(address, kind), machine());
  for (const section of chosen) {
    if (section.anyServer === true && kind !== 'dev') continue;
    const began = performance.now();
    const noise = noiseSince(serverPids);
    const findings = await section.run({ address, rounds, isQuick });
    console.log(report.add(kind, section, { findings, noise: noise() }));
    console.log(`(${section.name}: ${((performance.now() - began) / 1_000).toFixed(0)} s)\n`);
  }
}

async function titleOf(address: string, kind: ServerKind): Promise<string> {
  const connection = await Connection.connect({ address });
  const { serverVersion, persistenceStore, historyShardCount } =
    await connection.workflowService.getClusterInfo({});
  await connection.close();
  const name = kind === 'dev' ? 'The dev server of `longhaul dev`' : 'A production-like server';
  return `${name}: Temporal ${serverVersion}, ${persistenceStore}, history shards: ${historyShardCount}`;
}

function machine(): string {
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, ${rounds} rounds.`;
}
