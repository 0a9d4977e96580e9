// Results by reference on the dev server: what is too large for a history is in a store, and the model reads on.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { defineAgent, defineTool, parallel, subAgent, type Message } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import type { ModelRequest } from '../../src/providers/provider';
import { scriptedModel } from '../../src/testing/scripted-model';
import { aesCodec } from '../encryption/aes-codec';
import { devServerAddress } from '../servers';
import { openHarness, type Harness } from './harness';
import { MemoryResults } from './memory-results';
import { scriptedAgents, type Script } from './scripted-agents';

const line = 'the quick brown fox jumps over the lazy dog, and then again\n';
const hay = line.repeat(40_000);
const needle = `needle-${randomBytes(8).toString('hex')}`;
const haystack = `${hay}here is the ${needle}\n${hay}`;

/** The text of the newest tool results. */
function resultOf({ messages }: ModelRequest, back = 1): string {
  const tools = messages.filter(({ role }) => role === 'tool');
  const message = tools.at(-back);
  if (message?.role !== 'tool') throw new Error('no result');
  return message.parts
    .flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : part.type)))
    .join('\n');
}

function refIn(text: string): string {
  const ref = /ref "([0-9a-f]{64})"/.exec(text)?.[1];
  if (ref === undefined) throw new Error(`no ref in: ${text.slice(-300)}`);
  return ref;
}

/** The ref that stands anywhere in a request. */
const refOf = ({ messages }: ModelRequest): string =>
  refIn(JSON.stringify(messages).replaceAll('\\', ''));

const call = (name: string, args: object) => ({
  toolCalls: [{ name, args: args as Record<string, string> }],
});

/** Fetches, searches, reads around the hit, and answers with what it read. */
const finder: Script = [
  call('fetch', {}),
  (request) => call('find_in_result', { ref: refIn(resultOf(request)), match: 'needle-\\w+' }),
  (request) => {
    const [, number] = /^(\d+): /.exec(resultOf(request)) ?? [];
    const ref = refIn(resultOf(request, 2));
    return call('read_result', { ref, from: Number(number), lines: 1 });
  },
  (request) => resultOf(request),
];

const pictureOf = (size: number): string => randomBytes(size).toString('base64');
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

describe('results by reference', () => {
  let harness: Harness;
  let store: MemoryResults;
  let longhaul: Longhaul;
  let agents: ReturnType<typeof scriptedAgents>;
  let runs: number;
  beforeEach(async () => {
    harness = await openHarness();
    [store, agents, runs] = [new MemoryResults(), scriptedAgents(), 0];
    const { taskQueue } = harness;
    longhaul = await connect({ address: devServerAddress(), taskQueue, results: store });
  });
  afterEach(async () => {
    await longhaul.close();
    await harness.close();
  });

  const fetchGiving = (text: () => unknown, options = {}) =>
    defineTool({
      name: 'fetch',
      description: 'Fetches the report',
      inputSchema: { type: 'object', properties: {} },
      ...options,
      execute: () => {
        runs += 1;
        return text();
      },
    });

  const serve = async (runner: Parameters<Harness['worker']>[0]['runners']) =>
    await harness.worker({
      ...(runner && { runners: runner }),
      providers: { scripted: agents.provider },
      results: store,
    });

  const historyBytes = async (workflowId: string): Promise<number> => {
    const { historySize = 0 } = await longhaul.client.workflow.getHandle(workflowId).describe();
    return historySize;
  };

  it('lets the model find a needle in a result of 5 MB, on another worker after a continue-as-new', async () => {
    const filler = 'x'.repeat(240_000);
    const fill = defineTool({
      name: 'fill',
      description: 'Fills the history',
      inputSchema: { type: 'object', properties: {} },
      maxResultBytes: 250_000,
      execute: () => filler,
    });
    const turns = 18;
    const tools = [fetchGiving(() => haystack), fill];
    let next: (() => Promise<unknown>) | undefined;
    const script: Script = [
      call('fetch', {}),
      ...Array.from({ length: turns }, () => call('fill', {})),
      async (request) => {
        await next?.();
        const first = resultOf(request, turns + 1);
        return call('find_in_result', { ref: refIn(first), match: needle.slice(0, 12) });
      },
      (request) => resultOf(request),
    ];
    const agent = agents.agent('reader', script, { tools, maxIterations: 40 });
    const first = await serve([agent]);
    next = async () => {
      next = undefined;
      void first.stop();
      await serve([agent]);
    };
    const run = await longhaul.start(agent.id, 'Find it.');
    const { finalResponse } = await run.result();
    expect(finalResponse.text).toContain(needle);
    expect(runs).toBe(1);
    const started = await longhaul.client.workflow.getHandle(run.workflowId).fetchHistory();
    expect(
      started.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId,
    ).toBeTruthy();
  });

  it('gives sub-agents, branches and later turns of a thread the results of their tree', async () => {
    const tools = [fetchGiving(() => haystack)];
    const child = agents.agent(
      'child',
      [
        ({ messages }) => {
          const text = JSON.stringify(messages);
          return call('find_in_result', {
            ref: /[0-9a-f]{64}/.exec(text)?.[0] ?? '',
            match: needle,
          });
        },
        (request) => resultOf(request),
      ],
      { tools },
    );
    const parent = agents.agent(
      'parent',
      [
        call('fetch', {}),
        (request) => call('child', { input: `Look in ${refIn(resultOf(request))}` }),
        (request) => resultOf(request),
      ],
      { tools: [...tools, subAgent(child, { name: 'child', description: 'Looks into a result' })] },
    );
    const both = parallel({
      id: 'both',
      branches: [parent, agents.agent('finder', finder, { tools })],
    });
    const turns = agents.agent(
      'talker',
      [
        call('fetch', {}),
        (request) =>
          request.messages.some(({ role }) => role === 'tool')
            ? resultOf(request)
            : call('find_in_result', { ref: refOf(request), match: needle }),
        (request) => resultOf(request),
      ],
      { tools },
    );
    await serve([both, turns]);
    const run = await longhaul.start('both', 'Go');
    const { combinedText, finalResponse } = await run.result();
    expect((combinedText ?? finalResponse.text).split(needle).length).toBeGreaterThan(2);
    const thread = longhaul.thread({ agent: 'talker', sessionId: randomUUID() });
    expect((await (await thread.send('Fetch.')).result()).finalResponse.text).toContain('ref "');
    expect((await (await thread.send('Find.')).result()).finalResponse.text).toContain(needle);
    expect([...store.contents.keys()].sort()).toEqual(
      [`default/${run.workflowId}`, `default/${thread.threadId}`].sort(),
    );
  });

  it('cuts a result that the store does not take, and does not run the tool again', async () => {
    store.fault = (name) => {
      if (name === 'put') throw new Error('disk full');
    };
    const tool = fetchGiving(() => haystack, { timeout: '2s', effect: 'once' });
    const agent = agents.agent('cut', [call('fetch', {}), (request) => resultOf(request)], {
      tools: [tool],
    });
    await serve([agent]);
    const { finalResponse } = await (await longhaul.start(agent.id, 'Go')).result();
    expect(finalResponse.text).toMatch(
      /\[cut: the first \d+ of \d+ bytes are shown; the result store did not take the rest\]$/,
    );
    expect(runs).toBe(1);
    expect(store.counts.put).toBeGreaterThan(1);
  });

  it('cuts a result of 100 MB at once', async () => {
    const tool = fetchGiving(() => 'y'.repeat(100_000_000));
    const agent = agents.agent('huge', [call('fetch', {}), (request) => resultOf(request)], {
      tools: [tool],
    });
    await serve([agent]);
    const { finalResponse } = await (await longhaul.start(agent.id, 'Go')).result();
    expect(finalResponse.text).toContain('the whole is over the 64 MiB that a result store takes');
    expect(store.counts.put).toBe(0);
  });

  it('does not read what another run keeps', async () => {
    const foreign = Buffer.from('of somebody else');
    await store.put({ scope: 'default/other-run', digest: sha256(foreign) }, foreign);
    const agent = agents.agent(
      'curious',
      [call('read_result', { ref: sha256(foreign) }), (request) => resultOf(request)],
      { tools: [fetchGiving(() => 'short')] },
    );
    await serve([agent]);
    const { finalResponse } = await (await longhaul.start(agent.id, 'Go')).result();
    expect(finalResponse.text).toBe(
      `There is no result with the ref ${sha256(foreign)} to read: the result store no longer has it.`,
    );
  });

  it('ends a model that reads for ever at its number of tool rounds', async () => {
    const agent = agents.agent(
      'endless',
      [
        call('fetch', {}),
        (request) =>
          call('read_result', {
            ref: refOf(request),
          }),
      ],
      { tools: [fetchGiving(() => haystack)], maxIterations: 4 },
    );
    await serve([agent]);
    const run = await longhaul.start(agent.id, 'Go');
    await expect(run.result()).rejects.toMatchObject({ code: 'MaxIterationsExceeded' });
  });

  it('sends 60 pictures of 200 KiB with the last request, and history stays small', async () => {
    const pictures = Array.from({ length: 60 }, () => pictureOf(200 * 1024));
    const seen: (readonly Message[])[] = [];
    const model = scriptedModel([
      ({ messages }) => {
        seen.push(messages);
        return 'Seen.';
      },
    ]);
    const agent = defineAgent({ id: 'viewer', model: 'scripted/one' });
    await harness.worker({ runners: [agent], providers: { scripted: model }, results: store });
    const parts = pictures.map((data) => ({
      type: 'media' as const,
      mediaType: 'image/png',
      source: { kind: 'base64' as const, data },
    }));
    const run = await longhaul.start(agent.id, [{ type: 'text', text: 'Look.' }, ...parts]);
    await run.result();
    expect(seen[0]?.[0]?.parts).toEqual([{ type: 'text', text: 'Look.' }, ...parts]);
    const bytes = await historyBytes(run.workflowId);
    process.stdout.write(`60 pictures of 200 KiB: ${bytes} bytes of history\n`);
    expect(bytes).toBeLessThan(100_000);
    const [message] = await run.transcript();
    const part = message?.parts[1];
    if (part?.type !== 'media' || part.source.kind !== 'stored') throw new Error('not stored');
    const content = await longhaul.content(run.workflowId, part.source);
    expect(Buffer.from(content).toString('base64')).toBe(pictures[0]);
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
      const agent = agents.agent('secret', finder, { tools: [fetchGiving(() => haystack)] });
      await harness.worker({
        runners: [agent],
        providers: { scripted: agents.provider },
        results: store,
        encryption,
        workerOptions: { workflowBundle: undefined } as never,
      });
      const run = await client.start(agent.id, `${'secret words '.repeat(10_000)}`);
      expect((await run.result()).finalResponse.text).toContain(needle);
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
