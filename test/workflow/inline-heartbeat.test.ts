// Inline calls: the model's response is at the server before the first of them begins, encoded as the worker encodes.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExternalStorage } from '@temporalio/common';
import { defineAgent, defineTool } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import { scriptedModel } from '../../src/testing/scripted-model';
import { aesCodec } from '../encryption/aes-codec';
import { holds } from '../encryption/leaks';
import { devServerAddress } from '../servers';
import { FolderDriver } from './folder-driver';
import { openHarness, type Harness } from './harness';

const text = `planted${randomBytes(6).toString('hex')}`;

describe('a worker that is lost in an inline call', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-inline-'));
  const driver = new FolderDriver(folder);
  const externalStorage = new ExternalStorage({ drivers: [driver], payloadSizeThreshold: 4_096 });
  const encoded = { encryption: aesCodec(), dataConverter: { externalStorage } };

  beforeAll(async () => {
    harness = await openHarness();
    const { taskQueue } = harness;
    longhaul = await connect({ address: devServerAddress(), taskQueue, ...encoded });
  });
  afterAll(async () => {
    await longhaul.close();
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  /** The heartbeat's details of the run's only activity, as the server has them. */
  async function detailsOf(workflowId: string): Promise<Uint8Array[]> {
    const { pendingActivities } = await longhaul.client.workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId },
    });
    const payloads = pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    return payloads.map(({ data }) => data ?? new Uint8Array());
  }

  it.each([
    { name: 'in the heartbeat', words: 'I look.' },
    { name: 'in external storage', words: 'I look. '.repeat(1_000) },
  ])('pays for no other model call, and leaves nothing in clear $name', async ({ words }) => {
    const model = scriptedModel([
      { text: `${text} ${words}`, toolCalls: [{ name: 'look' }] },
      'Done.',
    ]);
    let begun: (workflowId: string) => void = () => undefined;
    const first = new Promise<string>((resolve) => (begun = resolve));
    let made = 0;
    const look = defineTool({
      name: 'look',
      description: 'Looks around',
      inputSchema: { type: 'object' },
      inline: true,
      execute: async (_args, { workflowId }) => {
        made += 1;
        begun(workflowId);
        return made > 1 ? 'seen' : await new Promise(() => undefined);
      },
    });
    const agent = defineAgent({ id: 'looker', model: 'scripted/one', tools: [look] });
    const options = { runners: [agent], providers: { scripted: model }, ...encoded };
    const lost = await harness.worker(options);
    const run = await longhaul.start('looker', 'Look.');
    const details = await detailsOf(await first);
    const files = driver.files().length;
    await lost.stop();
    const next = await harness.worker(options);
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Done.' } });
    expect(model.requests).toHaveLength(2);
    await next.stop();
    expect(made).toBe(2);
    expect(details).toHaveLength(1);
    expect(files > 0).toBe(words.length > 4_096);
    expect([...details, ...driver.files()].some((bytes) => holds(bytes, text))).toBe(false);
  });
});
