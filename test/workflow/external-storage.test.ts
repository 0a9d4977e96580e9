// Temporal's own external storage under a run: what is over its threshold is in a folder, not in history.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExternalStorage } from '@temporalio/common';
import { connect, type Longhaul } from '../../src/client';
import { readTaskFailure } from '../../src/client/timeline/history';
import { fetchHistories, replay, type RunHistory } from '../../src/testing';
import { devServerAddress, workflowBundlePath } from '../servers';
import { aTool, askUser, callOf, TestAgents } from './builders';
import { eventually } from './eventually';
import { FolderDriver } from './folder-driver';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';

const threshold = 20_000;
/** What no deflating makes smaller, and no head of it shows. */
const large = (length = 60_000): string =>
  `${randomBytes(length / 2).toString('hex')} end-of-large`;

describe("Temporal's external storage", () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-storage-'));
  const driver = new FolderDriver(folder);
  const externalStorage = new ExternalStorage({
    drivers: [driver],
    payloadSizeThreshold: threshold,
  });
  const dataConverter = { externalStorage };
  const workflowBundle = { codePath: workflowBundlePath() };
  const final = large(30_000);
  const keys: string[] = [];
  let harness: Harness;
  let longhaul: Longhaul;

  const agents = (): TestAgents => {
    const made = new TestAgents();
    const read = aTool('read', () => large());
    const lookUps = Array.from({ length: 8 }, () => callOf('read'));
    made.agent('reader', [...lookUps, askUser('Which one?'), final], {
      tools: [read],
      askUser: 'tool',
      maxIterations: 20,
    });
    const unlucky = aTool(
      'unlucky',
      (_args, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        driver.isDown = keys.length === 1;
        return large();
      },
      { retry: { initialInterval: '10ms' } },
    );
    made.agent('unlucky', [callOf('unlucky'), 'Done.'], { tools: [unlucky] });
    made.agent('late', ['Done.']);
    return made;
  };

  const connectStoring = (taskQueue: string): Promise<Longhaul> =>
    connect({ address: devServerAddress(), taskQueue, dataConverter });

  beforeAll(async () => {
    harness = await openHarness(devServerAddress(), 'storage');
    longhaul = await connectStoring(harness.taskQueue);
    const { runners, providers } = agents();
    // Without logs in memory, the worker asks the run for them: in pages over the threshold.
    await harness.worker({ runners, providers, dataConverter, logCacheBytes: 1 });
  });
  afterAll(async () => {
    await longhaul.close();
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  /** As the server has it. */
  function bytesOf({ events }: RunHistory): Buffer {
    type Encoder = { encode(event: unknown): { finish(): Uint8Array } };
    const encode = (event: object): Uint8Array =>
      (event.constructor as unknown as Encoder).encode(event).finish();
    return Buffer.concat((events ?? []).map(encode));
  }

  it('holds inputs, results, answers and what continue-as-new carries, and the run replays', async () => {
    const input = large(100_000);
    const run = await longhaul.start('reader', input);
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', question: 'Which one?' });
    // The sender has no storage, so what it sends is in history.
    await continueAsNew(harness.longhaul, run);
    const answer = large(40_000);
    await run.resume(answer);
    expect((await run.result()).finalResponse.text).toBe(final);

    const transcript = await run.transcript();
    expect(transcript).toHaveLength(1 + 8 * 2 + 2 + 1);
    expect(JSON.stringify(transcript.at(-2))).toContain(answer);
    const told = await longhaul.run(run.workflowId, { withoutWorker: true }).transcript();
    expect(told.slice(0, -2)).toEqual(transcript.slice(0, -2));

    const histories = await fetchHistories(longhaul, run.workflowId);
    expect(histories).toHaveLength(2);
    for (const history of histories) {
      const bytes = bytesOf(history);
      expect(bytes.includes('end-of-large')).toBe(false);
      expect(bytes.includes('ExternalStorageReference')).toBe(true);
      await replay(history, { workflowBundle, dataConverter });
    }
  });

  it('is missed by a client without it, which is told so', async () => {
    const run = await longhaul.start('late', large());
    await run.result();
    const missing = { code: 'SpecError', message: expect.stringContaining('externalStorage') };
    const blind = harness.longhaul.run(run.workflowId);
    await expect(blind.transcript()).rejects.toMatchObject(missing);
    const untold = harness.longhaul.run(run.workflowId, { withoutWorker: true });
    await expect(untold.transcript()).rejects.toMatchObject(missing);
  });

  it('is missed by a worker without it, and the run goes on at one that has it', async () => {
    const other = await openHarness(devServerAddress(), 'storage');
    const storing = await connectStoring(other.taskQueue);
    try {
      const { runners, providers } = agents();
      const without = await other.worker({ runners, providers });
      const run = await storing.start('late', large());
      await eventually('the task fails', async () => {
        const failure = await readTaskFailure(storing.client, run.workflowId);
        return failure?.message.includes('external storage is not configured') === true;
      });
      await without.stop();
      await other.worker({ runners, providers, dataConverter });
      expect((await run.result()).finalResponse.text).toBe('Done.');
    } finally {
      await storing.close();
      await other.close();
    }
  });

  it('is tried again while it is down: a tool runs again under its key', async () => {
    const run = await longhaul.start('unlucky', 'Go.');
    expect((await run.result()).finalResponse.text).toBe('Done.');
    expect(keys).toEqual([keys[0], keys[0]]);
    driver.clear();
    const untold = longhaul.run(run.workflowId, { withoutWorker: true });
    await expect(untold.transcript()).rejects.toThrow(/no such file/);
  });
});
