// How late a listener hears a delta: from `publish` in one handle to a listener of another, in process and through a PostgreSQL server of its own,
// for one call and for many at a time. Each call says a word 20 times a second.
// Usage, after `npm run build`: node bench/deltas.mts [--calls 1,100] [--seconds 10]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Deltas, type LiveEvent, PostgresDeltas, ProcessDeltas } from 'longhaul/stores';

const perSecond = 20;

type Load = { readonly calls: number; readonly seconds: number };

/** Milliseconds from `publish` to the listener, of all deltas. */
async function latencies(worker: Deltas, reader: Deltas, load: Load): Promise<number[]> {
  const late: number[] = [];
  const calls = Array.from({ length: load.calls }, async (_, index) => {
    const root = `bench-${Date.now()}-${index}`;
    const at = { root, workflowId: root, path: 'a', agent: 'a', turn: 1, calledAt: 1, attempt: 1 };
    const said: number[] = [];
    let onEnd = (): void => undefined;
    const ended = new Promise<void>((resolve) => (onEnd = resolve));
    const end = reader.subscribe(root, (event: LiveEvent) => {
      const now = performance.now();
      if (event.kind === 'moved') onEnd();
      if (event.kind !== 'delta') return;
      for (let seq = event.seq; seq < event.seq + (event.count ?? 1); seq += 1)
        late.push(now - (said[seq] ?? now));
    });
    worker.publish({ kind: 'begin', ...at });
    await sleep(500 + Math.random() * 1_000);
    for (let seq = 0; seq < load.seconds * perSecond; seq += 1) {
      said.push(performance.now());
      worker.publish({ kind: 'delta', ...at, seq, delta: { kind: 'text', text: 'word ' } });
      await sleep(1_000 / perSecond);
    }
    worker.publish({ kind: 'moved', ...at, ended: at });
    await ended;
    end();
  });
  await Promise.all(calls);
  return late.sort((one, other) => one - other);
}

async function report(name: string, worker: Deltas, reader: Deltas, loads: Load[]): Promise<void> {
  for (const load of loads) {
    const late = await latencies(worker, reader, load);
    const at = (share: number): string => (late[Math.floor(late.length * share)] ?? 0).toFixed(2);
    const lost = load.calls * load.seconds * perSecond - late.length;
    const figures = `median ${at(0.5)} ms, p99 ${at(0.99)} ms, ${late.length} deltas, ${lost} lost`;
    process.stdout.write(`${name}, calls ${load.calls}: ${figures}\n`);
  }
  await Promise.all([worker.close(), reader.close()]);
}

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1,100' },
    seconds: { type: 'string', default: '10' },
  },
});
const seconds = Number(values.seconds);
const loads = values.calls.split(',').map((calls) => ({ calls: Number(calls), seconds }));

const inProcess = new ProcessDeltas();
await report('in process', inProcess, inProcess, loads);

const script = join(import.meta.dirname, '../test/contract/postgres-server.mts');
const server = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
const [connectionString] = (await once(createInterface(server.stdout), 'line')) as [string];
const handle = (): Deltas => new PostgresDeltas({ connectionString });
await report('PostgreSQL', handle(), handle(), loads);
server.stdin.end();
await once(server, 'close');
