// How soon a stop ends the model call at the provider: from the request to stop to the end of the provider's connection, for each way to stop a
// run; with one worker process, and with two, one for workflows and one for calls, with and without deltas.
// Usage, after `npm run build`: node bench/stop.mts [--stops 30]. TEMPORAL_ADDRESS names a server; without it a dev server is started.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { connect, type Longhaul } from 'longhaul/client';
import { agentHandler } from 'longhaul/http';
import { HangingModel } from '../test/e2e/hanging-model.mts';
import type { StopSettings } from '../test/e2e/stop-worker.mts';
import { withServer } from './bench-server.mts';
import { median } from './section.mts';

const tests = join(import.meta.dirname, '../test');

type Way = (longhaul: Longhaul, workflowId: string) => Promise<unknown>;

const ways: Readonly<Record<string, Way>> = {
  'run.cancel()': (longhaul, workflowId) => longhaul.run(workflowId).cancel(),
  'HTTP stop': async (longhaul, workflowId) => {
    const handle = agentHandler(longhaul, {
      agents: ['talker'],
      authenticate: () => ({ user: 'ann' }),
    });
    const url = `http://localhost/runs/${encodeURIComponent(workflowId)}/cancel`;
    const headers = { 'content-type': 'application/json' };
    const response = await handle(new Request(url, { method: 'POST', headers, body: '{}' }));
    if (!response.ok) throw new Error(await response.text());
  },
  'temporal workflow cancel': (longhaul, workflowId) =>
    longhaul.client.workflow.getHandle(workflowId).cancel(),
};

async function startWorker(settings: StopSettings): Promise<ChildProcess> {
  const worker = fork(join(tests, 'e2e/stop-worker.mts'), [JSON.stringify(settings)]);
  await once(worker, 'message');
  return worker;
}

type Measured = { readonly agent: string; readonly stop: Way; readonly stops: number };

/** Milliseconds of each stop. All calls are open before the first stop, each at another time between two heartbeats. */
async function measure(
  longhaul: Longhaul,
  model: HangingModel,
  { agent, stop, stops }: Measured,
): Promise<number[]> {
  const calls: { readonly workflowId: string; readonly closed: Promise<void> }[] = [];
  for (let count = 0; count < stops; count += 1) {
    const hanging = model.next();
    const key = { appName: longhaul.application, userId: 'ann' };
    const { workflowId } = await longhaul.start(agent, 'Go.', { key });
    calls.push({ workflowId, ...(await hanging) });
  }
  const times: number[] = [];
  // Ids are random. In the order of their starts, each heartbeat would come soon after the one before.
  calls.sort((one, other) => (one.workflowId < other.workflowId ? -1 : 1));
  for (const { workflowId, closed } of calls) {
    const from = performance.now();
    await Promise.all([stop(longhaul, workflowId), closed]);
    times.push(performance.now() - from);
  }
  return times;
}

const { values } = parseArgs({ options: { stops: { type: 'string', default: '30' } } });
const stops = Number(values.stops);

const script = join(tests, 'contract/postgres-server.mts');
const database = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
const [postgres] = (await once(createInterface(database.stdout), 'line')) as [string];

const setups: Readonly<Record<string, readonly Pick<StopSettings, 'takes' | 'postgres'>[]>> = {
  'one process': [{ takes: 'all' }],
  'two processes, deltas': [
    { takes: 'workflows', postgres },
    { takes: 'calls', postgres },
  ],
  'two processes, no deltas': [{ takes: 'workflows' }, { takes: 'calls' }],
};

await withServer(async (address) => {
  for (const [setup, processes] of Object.entries(setups)) {
    const model = new HangingModel();
    await model.open();
    const taskQueue = `stop-${randomUUID()}`;
    const settings = { address, taskQueue, model: model.url };
    const workers = await Promise.all(processes.map((one) => startWorker({ ...settings, ...one })));
    const longhaul = await connect({ address, taskQueue });
    const measured = Object.entries(ways).flatMap(([name, stop]) => [
      { name, agent: 'talker', stop },
      ...(name === 'run.cancel()'
        ? [{ name: `${name}, call of a run below`, agent: 'caller', stop }]
        : []),
    ]);
    for (const { name, ...one } of measured) {
      const times = await measure(longhaul, model, { ...one, stops });
      const figures = `median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms`;
      process.stdout.write(`${setup}, ${name}: ${figures} of ${times.length}\n`);
    }
    await longhaul.close();
    for (const worker of workers) worker.kill('SIGKILL');
    await model.close();
  }
});
database.stdin.end();
await once(database, 'close');
