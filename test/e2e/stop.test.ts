// A run's workflow and its model call in two processes, on the built package: a stop reaches the provider before a heartbeat could tell.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Longhaul } from '../../src/client';
import { timeouts } from '../../src/protocol/limits';
import { startPostgres, type PostgresServer } from '../contract/postgres';
import { devServerAddress } from '../servers';
import { eventually } from '../workflow/eventually';
import { builtPackage, compiledOnce } from './built-package';
import { HangingModel } from './hanging-model.mts';
import { firstMessage } from './live-setup';
import type { StopSettings } from './stop-worker.mts';

const model = new HangingModel();
const taskQueue = `stop-${randomUUID()}`;
const workers: ChildProcess[] = [];
let postgres: PostgresServer;
let longhaul: Longhaul;

async function startWorker(takes: StopSettings['takes']): Promise<void> {
  const folder = join(await builtPackage(), randomUUID());
  cpSync(join(__dirname, 'stop-worker.mts'), join(folder, 'stop-worker.mts'));
  const settings: StopSettings = {
    address: devServerAddress(),
    taskQueue,
    model: model.url,
    takes,
    postgres: postgres.url,
  };
  const env = { ...process.env, ...compiledOnce() };
  const worker = fork(join(folder, 'stop-worker.mts'), [JSON.stringify(settings)], { env });
  workers.push(worker);
  await firstMessage(worker);
}

/** When the server got the last heartbeat of the only open call. */
async function beatAt(workflowId: string): Promise<string> {
  const { raw } = await longhaul.client.workflow.getHandle(workflowId).describe();
  const [call] = raw.pendingActivities ?? [];
  const { seconds, nanos } = call?.lastHeartbeatTime ?? {};
  return `${seconds?.toString()}.${nanos}`;
}

beforeAll(async () => {
  [postgres] = await Promise.all([startPostgres(), model.open()]);
  longhaul = await connect({ address: devServerAddress(), taskQueue });
  await Promise.all([startWorker('workflows'), startWorker('calls')]);
});

afterAll(async () => {
  for (const worker of workers) {
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  }
  await longhaul.close();
  await model.close();
  await postgres.stop();
});

it.each(['talker', 'caller'])(
  'a stop of %s ends the model call in the other process',
  async (id) => {
    const hanging = model.next();
    const run = await longhaul.start(id, 'Go.');
    const { closed } = await hanging;
    const [child] = (await run.tree()).children;
    const { workflowId: calling } = child ?? run;
    // The next heartbeat is then far away, and with it the other way to learn of the stop.
    const last = await beatAt(calling);
    await eventually('a heartbeat', async () => (await beatAt(calling)) !== last);
    const stoppedAt = Date.now();
    await Promise.all([run.cancel(), closed]);
    expect(Date.now() - stoppedAt).toBeLessThan(timeouts.modelHeartbeat / 2);
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
  },
);
