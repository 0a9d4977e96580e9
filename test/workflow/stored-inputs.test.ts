// Inputs by reference: what is large is in a store before the run starts, and comes back for each request.

import { createHash, randomBytes } from 'node:crypto';
import { defineTool, type Agent, type Message } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import { aesCodec } from '../encryption/aes-codec';
import { devServerAddress } from '../servers';
import { openHarness, type Harness } from './harness';
import { MemoryResults } from './memory-results';
import { scriptedAgents } from './scripted-agents';

const pictureOf = (size: number): string => randomBytes(size).toString('base64');
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

describe('inputs by reference', () => {
  let harness: Harness;
  let store: MemoryResults;
  let longhaul: Longhaul;
  let agents: ReturnType<typeof scriptedAgents>;
  beforeEach(async () => {
    harness = await openHarness();
    [store, agents] = [new MemoryResults(), scriptedAgents()];
    const { taskQueue } = harness;
    longhaul = await connect({ address: devServerAddress(), taskQueue, results: store });
  });
  afterEach(async () => {
    await longhaul.close();
    await harness.close();
  });

  const serve = async (runners: readonly Agent[]) =>
    await harness.worker({ runners, providers: { scripted: agents.provider }, results: store });

  const historyBytes = async (workflowId: string): Promise<number> => {
    const { historySize = 0 } = await longhaul.client.workflow.getHandle(workflowId).describe();
    return historySize;
  };

  it('sends large parts of an input by reference, and a client reads them', async () => {
    const seen: (readonly Message[])[] = [];
    const agent = agents.agent('reader', [
      ({ messages }) => {
        seen.push(messages);
        return 'Seen.';
      },
    ]);
    await serve([agent]);
    const parts = [1, 2, 3].map(() => ({
      type: 'media' as const,
      mediaType: 'image/png',
      source: { kind: 'base64' as const, data: pictureOf(1_000_000) },
    }));
    const run = await longhaul.start(agent.id, [{ type: 'text', text: 'Look.' }, ...parts]);
    await run.result();
    expect(seen[0]?.[0]?.parts).toEqual([{ type: 'text', text: 'Look.' }, ...parts]);
    expect(await historyBytes(run.workflowId)).toBeLessThan(50_000);
    const [message] = await run.transcript();
    const part = message?.parts[1];
    if (part?.type !== 'media' || part.source.kind !== 'stored') throw new Error('not stored');
    const content = await longhaul.content(run.workflowId, part.source);
    expect(Buffer.from(content).toString('base64')).toBe(parts[0]?.source.data);
    await expect(longhaul.content('other', part.source)).rejects.toMatchObject({
      code: 'StoreError',
    });
  });

  it('waits for a store that is down when a request is built', async () => {
    const seen: string[] = [];
    const agent = agents.agent('patient', [
      ({ messages }) => {
        seen.push(JSON.stringify(messages));
        return 'Read.';
      },
    ]);
    let failures = 2;
    store.fault = (name) => {
      if (name === 'get' && failures-- > 0) throw new Error('connection refused');
    };
    await serve([agent]);
    const text = 'long '.repeat(50_000);
    const run = await longhaul.start(agent.id, text);
    await run.result();
    expect(failures).toBeLessThan(1);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain(text);
    expect(await historyBytes(run.workflowId)).toBeLessThan(50_000);
  });

  it('fails a run whose own input is gone, or is of another run', async () => {
    const agent = agents.agent('strict', ['Never.']);
    await serve([agent]);
    const data = randomBytes(20_000);
    const source = { kind: 'stored' as const, digest: sha256(data), bytes: data.byteLength };
    await store.put({ scope: 'default/other-run', digest: source.digest }, data);
    const run = await longhaul.start(agent.id, [{ type: 'media', mediaType: 'image/png', source }]);
    await expect(run.result()).rejects.toMatchObject({
      code: 'StoreError',
      details: { digest: source.digest },
    });
    expect(agents.calls(agent.id)).toBe(0);
  });

  it('names the option when an input is too large for a client without a store', async () => {
    const text = 'long '.repeat(100_000);
    await expect(harness.longhaul.start('any', text)).rejects.toMatchObject({
      code: 'PayloadTooLarge',
      message: expect.stringContaining('connect({ results })') as string,
    });
    await expect(longhaul.start('any', text.repeat(10))).rejects.toMatchObject({
      code: 'PayloadTooLarge',
      message: expect.stringContaining('input[0] has') as string,
    });
  });

  it('keeps nothing in clear with encryption', async () => {
    const encryption = aesCodec();
    const { taskQueue } = harness;
    const client = await connect({
      address: devServerAddress(),
      taskQueue,
      results: store,
      encryption,
    });
    try {
      const fetch = defineTool({
        name: 'fetch',
        description: 'Fetches the report',
        inputSchema: { type: 'object', properties: {} },
        execute: () => 'quick brown '.repeat(10_000),
      });
      const agent = agents.agent(
        'secret',
        [{ toolCalls: [{ name: 'fetch', args: {} }] }, 'Done.'],
        { tools: [fetch] },
      );
      await harness.worker({
        runners: [agent],
        providers: { scripted: agents.provider },
        results: store,
        encryption,
        workerOptions: { workflowBundle: undefined } as never,
      });
      const run = await client.start(agent.id, `${'secret words '.repeat(10_000)}`);
      expect((await run.result()).finalResponse.text).toBe('Done.');
      const kept = [...store.contents.values()].flatMap((scope) => [...scope.values()]);
      expect(kept.length).toBe(2);
      for (const bytes of kept) {
        const text = Buffer.from(bytes).toString('latin1');
        expect(text.includes('secret words') || text.includes('quick brown')).toBe(false);
      }
    } finally {
      await client.close();
    }
  });
});
