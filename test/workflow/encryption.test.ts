// Encryption on the dev server: nothing in clear, whatever a run does; what is encrypted on one side only is refused.

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExternalStorage } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { connect, type ConnectOptions, type Longhaul } from '../../src/client';
import { createWorker, type CreateWorkerOptions } from '../../src/worker';
import { aesCodec } from '../encryption/aes-codec';
import { everything, outcomesOfEverything, runEverything } from '../encryption/everything';
import { findLeaks, holds } from '../encryption/leaks';
import { devServerAddress, workflowsInThread } from '../servers';
import { eventually } from './eventually';
import { FolderDriver } from './folder-driver';
import { quietRuntime } from './quiet';

const workflowsPath = join(__dirname, 'own-workflows/workflows.ts');
const text = `planted${randomBytes(6).toString('hex')}`;
const encryption = aesCodec();
const all = everything(text);

/** A worker of `everything` on a queue of its own, and clients of it. */
async function serve(options: CreateWorkerOptions) {
  quietRuntime();
  const address = devServerAddress();
  const taskQueue = `encryption-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({ ...all.options, ...options, connection, taskQueue });
  const ended = worker.run();
  const clients: Longhaul[] = [];
  return {
    taskQueue,
    open: async (client: ConnectOptions = {}): Promise<Longhaul> => {
      const longhaul = await connect({ address, taskQueue, ...client });
      clients.push(longhaul);
      return longhaul;
    },
    close: async (): Promise<void> => {
      for (const client of clients) await client.close();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}

afterAll(() => all.close());

describe('a worker that encrypts, with workflows of its own', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-encryption-'));
  const driver = new FolderDriver(folder);
  // Over every result, so that histories grow. What continue-as-new carries goes to the folder.
  const drivers = [driver];
  const externalStorage = new ExternalStorage({ drivers, payloadSizeThreshold: 400_000 });
  const dataConverter = { externalStorage };
  beforeAll(async () => {
    served = await serve({ encryption, dataConverter, workerOptions: { workflowsPath } });
  });
  afterAll(async () => {
    await served.close();
    rmSync(folder, { recursive: true });
  });

  it("leaves nothing in clear, also not in Temporal's external storage", async () => {
    const hashIds = randomBytes(16).toString('hex');
    const longhaul = await served.open({ encryption, dataConverter, hashIds });
    expect(await runEverything(longhaul, text)).toEqual(outcomesOfEverything);
    const { leaks, looked } = await findLeaks(longhaul.client, { ...served, text });
    expect(leaks).toEqual([]);
    expect(looked.executions).toBeGreaterThan(20);
    expect(looked.events).toBeGreaterThan(500);
    const stored = driver.files();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.some((bytes) => holds(bytes, text))).toBe(false);
  });

  it('fails runs and refuses messages of a client that does not encrypt, and says why', async () => {
    const longhaul = await served.open();
    const run = await longhaul.start('tools', 'in clear');
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'EncryptionMismatch',
      message: expect.stringMatching(/give connect the worker's `encryption`/) as string,
    });
    const thread = longhaul.thread({ agent: 'talker', sessionId: served.taskQueue });
    await expect(thread.send('in clear')).rejects.toMatchObject({ code: 'EncryptionMismatch' });
  });

  it('refuses an answer in clear before it is in history, and lists its runs to all', async () => {
    const own = await served.open({ encryption });
    const run = await own.start('pipeline', 'Go');
    await run.outcome();
    const [{ inputId } = { inputId: '' }] = await run.pending();
    const other = await served.open();
    await expect(
      other.run(run.workflowId).resume('told in clear', { inputId }),
    ).rejects.toMatchObject({
      code: 'EncryptionMismatch',
    });
    await expect(other.run(run.workflowId).state()).rejects.toMatchObject({
      code: 'EncryptionMismatch',
    });
    const listed = other.client.workflow.list({ query: `WorkflowId = '${run.workflowId}'` });
    for await (const { workflowId } of listed) expect(workflowId).toBe(run.workflowId);
    await run.resume('encrypted', { inputId });
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    const where = { ...served, rootId: run.workflowId, text: 'told in clear' };
    await eventually('all of it is listed', async () => {
      const { leaks, looked } = await findLeaks(own.client, where);
      expect(leaks).toEqual([]);
      return looked.executions === 4;
    });
  });
});

describe('a worker that does not encrypt', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    served = await serve({});
  });
  afterAll(() => served.close());

  it('fails a run of a client that does, and says why', async () => {
    const longhaul = await served.open({ encryption });
    const run = await longhaul.start('tools', 'encrypted');
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'EncryptionMismatch',
      message: expect.stringMatching(/this worker has no `encryption`/) as string,
    });
    const thread = longhaul.thread({ agent: 'talker', sessionId: served.taskQueue });
    await expect(thread.send('encrypted')).rejects.toMatchObject({ code: 'EncryptionMismatch' });
  });

  it('leaves failure messages in clear where somebody accepts that: what is searched is found', async () => {
    const dataConverter = { payloadCodecs: [encryption] };
    const accepted = await serve({
      dataConverter,
      clearFailures: true,
      workerOptions: workflowsInThread(),
    });
    const longhaul = await accepted.open({ dataConverter, clearFailures: true });
    const run = await longhaul.start('deep', text);
    await expect(run.outcome()).rejects.toMatchObject({ code: 'ToolError' });
    const { leaks } = await findLeaks(longhaul.client, { ...accepted, text });
    expect(leaks.length).toBeGreaterThan(5);
    await accepted.close();
  });
});
