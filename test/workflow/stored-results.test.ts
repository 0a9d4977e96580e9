// Results by reference: what is too large for a history is in a store, and the model reads on.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  defineAgent,
  defineTool,
  LonghaulError,
  parallel,
  subAgent,
  toolContent,
  type Message,
} from '../../src';
import { connect, type Longhaul } from '../../src/client';
import type { ModelRequest } from '../../src/providers/provider';
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

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const pictureOf = (size: number): string =>
  Buffer.concat([png, randomBytes(size - png.byteLength)]).toString('base64');

function picturesIn(message: Message): readonly string[] {
  if (message.role !== 'tool') return [];
  const parts = message.parts.flatMap(({ content }) => content);
  return parts.map((part) =>
    part.type === 'media' && part.source.kind === 'base64' ? part.source.data : part.type,
  );
}

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
      if (name === 'put') throw new LonghaulError('StoreError', 'disk full');
    };
    const tool = fetchGiving(() => haystack, { effect: 'once' });
    const agent = agents.agent('cut', [call('fetch', {}), (request) => resultOf(request)], {
      tools: [tool],
    });
    await serve([agent]);
    const { finalResponse } = await (await longhaul.start(agent.id, 'Go')).result();
    expect(finalResponse.text).toMatch(
      /\[cut: the first \d+ of \d+ bytes are shown; the result store did not take the rest\]$/,
    );
    expect(runs).toBe(1);
    expect(store.counts.put).toBe(1);
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
    const shown: string[] = [];
    const snap = defineTool({
      name: 'snap',
      description: 'Takes pictures',
      inputSchema: { type: 'object', properties: { from: { type: 'integer' } } },
      execute: (args) => {
        const from = Number(args['from']);
        const parts = pictures.slice(from, from + 5);
        return toolContent(parts.map((data) => ({ type: 'media', mediaType: 'image/png', data })));
      },
    });
    const script: Script = [
      ...([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50] as const).map((from) =>
        call('snap', { from }),
      ),
      call('snap', { from: 55 }),
      ({ messages }: ModelRequest) => {
        shown.push(...messages.flatMap(picturesIn));
        return 'Seen.';
      },
    ] as unknown as Script;
    const agent = agents.agent('viewer', script, { tools: [snap], maxIterations: 20 });
    await serve([agent]);
    const run = await longhaul.start(agent.id, 'Look.');
    await run.result();
    expect(shown).toEqual(pictures);
    const bytes = await historyBytes(run.workflowId);
    const history = await longhaul.client.workflow.getHandle(run.workflowId).fetchHistory();
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).toBe('');
    process.stdout.write(`60 pictures of 200 KiB from a tool: ${bytes} bytes of history\n`);
    expect(bytes).toBeLessThan(200_000);
  });

  it('reads a result again after a reset, without a second run of its tool', async () => {
    const agent = agents.agent('again', finder, { tools: [fetchGiving(() => haystack)] });
    await serve([agent]);
    const run = await longhaul.start(agent.id, 'Go');
    await run.result();
    await run.reset({ to: 2 });
    expect((await run.result()).finalResponse.text).toContain(needle);
    expect(runs).toBe(1);
  });

  it('leaves a call of read_result to a worker that has a store', async () => {
    const bare = defineAgent({ id: 'bare', model: 'scripted/bare' });
    let withoutStore = 0;
    const searches = 4;
    const script = [
      call('fetch', {}),
      async (request: ModelRequest) => {
        await harness.worker({
          runners: [bare],
          tools: [fetchGiving(() => 'never')],
          providers: { scripted: agents.provider },
        });
        withoutStore += 1;
        return call('find_in_result', { ref: refOf(request), match: needle });
      },
      ...Array.from(
        { length: searches },
        () => (request: ModelRequest) =>
          call('find_in_result', { ref: refOf(request), match: needle }),
      ),
      ({ messages }: ModelRequest) =>
        JSON.stringify(messages.filter(({ role }) => role === 'tool')),
    ] as unknown as Script;
    const agent = agents.agent('mixed', script, { tools: [fetchGiving(() => haystack)] });
    await serve([agent]);
    const { finalResponse } = await (await longhaul.start(agent.id, 'Go')).result();
    expect(withoutStore).toBe(1);
    expect(finalResponse.text.split(needle)).toHaveLength(searches + 2);
  });
});
