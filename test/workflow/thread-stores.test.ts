// Threads whose turns outlive them: saved in a store, late when it is down; older turns summarised.

import { defineTool, type Agent } from '../../src';
import type { Longhaul, ThreadHandle } from '../../src/client';
import type { ThreadOptions } from '../../src/client/write/thread-input';
import { LonghaulError } from '../../src/protocol/errors';
import { SqliteStores, type MemoryStore } from '../../src/stores';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const agents = scriptedAgents();
const echo: Script = [(request) => `<${lastText(request)}>`];
const noted = defineTool({
  name: 'note',
  description: 'Notes',
  inputSchema: { type: 'object', properties: {} },
  session: ['notes'],
  execute: (_args, { session }) => {
    session['notes'] = ((session['notes'] as number | undefined) ?? 0) + 1;
    return session['notes'];
  },
});
/** A summary of less would not be shorter. */
const long = (text: string): string => `<${text}>${'.'.repeat(400)}`;
const summarising: Script = [
  (request) => {
    const text = lastText(request);
    if (text.startsWith('<conversation>'))
      return { text: 'They counted.', usage: { totalTokens: 50 } };
    return { text: long(text), usage: { totalTokens: text === 'three' ? 900 : 100 } };
  },
];
const runners: readonly Agent[] = [
  agents.agent('saved', echo, { memory: { kind: 'full', store: 'default' } }),
  agents.agent('late', echo, { memory: { kind: 'full', store: 'shaky' } }),
  agents.agent('foreign', echo, { memory: { kind: 'full', store: 'foreign' } }),
  agents.agent('recent', echo, { memory: { kind: 'windowed', turns: 1, store: 'default' } }),
  agents.agent(
    'noting',
    [
      (request) =>
        request.messages.at(-1)?.role === 'tool'
          ? 'Noted.'
          : { toolCalls: [{ name: 'note', args: {} }] },
    ],
    { tools: [noted], memory: { kind: 'full', store: 'default' } },
  ),
  agents.agent('summarised', summarising, {
    context: { window: 1_000, keepTurns: 1 },
  }),
];
let count = 0;

describe('a thread with a store', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  let stores: SqliteStores;
  let isDown = false;
  /** What a store of somebody else's holds. */
  let rows: unknown = [];
  beforeAll(async () => {
    harness = await openHarness();
    ({ longhaul } = harness);
    stores = SqliteStores.inMemory();
    const { memory } = stores;
    const shaky: MemoryStore = {
      ...memory.default,
      saveTurn: async (turn, options) => {
        if (isDown) throw new LonghaulError('StoreError', 'down', { retryable: true });
        return await memory.default.saveTurn(turn, options);
      },
    };
    const foreign = { ...memory.default, loadTurns: () => Promise.resolve(rows as never) };
    await harness.worker({
      runners,
      providers: { scripted: agents.provider },
      prices: { 'scripted/summarised': { input: 100, output: 200 } },
      stores: { memory: { default: memory.default, shaky, foreign } },
    });
  });
  afterAll(async () => {
    await harness.close();
    await stores.close();
  });

  function threadOf(agent: string, options: Partial<ThreadOptions> = {}): ThreadHandle {
    count += 1;
    return longhaul.thread({ agent, sessionId: `${harness.taskQueue}-${count}`, ...options });
  }

  async function answer(thread: ThreadHandle, text: string): Promise<string> {
    const turn = await thread.send(text);
    return (await turn.result()).finalResponse.text;
  }

  async function said({ key }: ThreadHandle): Promise<unknown[]> {
    return (await stores.memory.default.loadTurns(key)).map(({ user }) => user);
  }

  function given(text: string): string[] {
    const request = agents.provider.requests.findLast((each) => lastText(each) === text);
    return linesOf(request?.messages ?? []);
  }

  async function isEnded(thread: ThreadHandle): Promise<boolean> {
    const { status } = await thread.state();
    if (status !== 'completed') return false;
    // Throws if the server has it otherwise.
    await harness.longhaul.client.workflow.getHandle(thread.threadId).result();
    return true;
  }

  it('saves each turn with what is known of it', async () => {
    const thread = threadOf('saved');
    const turn = await thread.send('one', { messageId: 'm-1' });
    await turn.result();
    await eventually('it is saved', async () => (await said(thread)).length === 1);
    expect(await stores.memory.default.loadTurns(thread.key)).toEqual([
      {
        ...thread.key,
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
        invocationId: turn.workflowId,
        user: 'one',
        assistant: '<one>',
        createdAt: expect.any(String),
        eventData: {
          messageId: 'm-1',
          usage: expect.objectContaining({ totalTokens: 15 }),
          iterations: 0,
          session: {},
        },
      },
    ]);
  });

  it('keeps users of one id in two tenants apart', async () => {
    const whose = { userId: 'ada', sessionId: `${harness.taskQueue}-shared`, idleTimeout: 1_000 };
    const thread = threadOf('saved', { ...whose, tenant: 'acme' });
    await answer(thread, 'acme-secret');
    await eventually('the thread has ended', () => isEnded(thread));
    const other = threadOf('saved', { ...whose, tenant: 'globex' });
    await answer(other, 'globex-question');
    expect(given('globex-question')).toEqual(['globex-question']);
    await eventually('the other has ended', () => isEnded(other));
    await answer(threadOf('saved', whose), 'nobodys-question');
    expect(given('nobodys-question')).toEqual(['nobodys-question']);
    await eventually('the last has ended', () => isEnded(thread));
    await answer(threadOf('saved', { ...whose, tenant: 'acme' }), 'acme-again');
    expect(given('acme-again').join()).toContain('acme-secret');
  });

  it('saves what tools a turn called', async () => {
    const thread = threadOf('noting');
    await answer(thread, 'one');
    await eventually('it is saved', async () => (await said(thread)).length === 1);
    const [turn] = await stores.memory.default.loadTurns(thread.key);
    expect(turn?.eventData).toMatchObject({
      iterations: 1,
      toolCalls: [{ callId: expect.any(String), name: 'note', args: {} }],
      session: { notes: 1 },
    });
  });

  it('ends when nothing is said for long, and starts again where it was', async () => {
    const thread = threadOf('noting', { idleTimeout: '300ms' });
    const first = await thread.send('one', { messageId: 'm-1' });
    await first.result();
    await answer(thread, 'two');
    await eventually('it has ended', () => isEnded(thread));
    expect(await thread.turns()).toHaveLength(2);
    const again = await thread.send('one', { messageId: 'm-1' });
    expect(again.workflowId).toBe(first.workflowId);
    await answer(thread, 'three');
    expect(await thread.session()).toEqual({ notes: 3 });
    expect(given('three').slice(0, 5)).toEqual(['one', 'Noted.', 'two', 'Noted.', 'three']);
    expect((await thread.turns()).map(({ turn, user }) => [turn, user])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  it('tells nothing once the server has dropped it, and is read from its store by the next message', async () => {
    const thread = threadOf('saved', { idleTimeout: '100ms' });
    await answer(thread, 'one');
    await eventually('it has ended', () => isEnded(thread));
    const { workflowService, options } = longhaul.client;
    const workflowExecution = { workflowId: thread.threadId };
    const execution = { namespace: options.namespace, workflowExecution };
    await workflowService.deleteWorkflowExecution(execution);
    await eventually('it is gone', async () => (await thread.turns()).length === 0);
    expect(await thread.session()).toEqual({});
    await expect(thread.state()).rejects.toMatchObject({ code: 'RunNotFound' });
    await answer(thread, 'two');
    expect((await thread.turns()).map(({ user }) => user)).toEqual(['one', 'two']);
  });

  it('reads only the turns it gives, where its memory is windowed', async () => {
    const thread = threadOf('recent', { idleTimeout: '100ms' });
    for (const text of ['one', 'two', 'three']) await answer(thread, text);
    await eventually('it has ended', () => isEnded(thread));
    const turn = await thread.send('four');
    await turn.result();
    expect(turn.turn).toBe(4);
    expect(given('four')).toEqual(['three', '<three>', 'four']);
    expect((await thread.turns()).map(({ user }) => user)).toEqual(['three', 'four']);
    await eventually('all are saved', async () => (await said(thread)).length === 4);
  });

  it('answers while its store is down, and saves what was said, in order, once it is back', async () => {
    const thread = threadOf('late');
    isDown = true;
    expect(await answer(thread, 'one')).toBe('<one>');
    expect(await answer(thread, 'two')).toBe('<two>');
    expect(await said(thread)).toEqual([]);
    expect(given('two')).toEqual(['one', '<one>', 'two']);
    isDown = false;
    await eventually('both are saved', async () => (await said(thread)).length === 2);
    expect(await said(thread)).toEqual(['one', 'two']);
  });

  it('saves nothing any more that was said before it was cleared', async () => {
    const thread = threadOf('late');
    await answer(thread, 'one');
    await eventually('it is saved', async () => (await said(thread)).length === 1);
    isDown = true;
    await answer(thread, 'two');
    await thread.clear();
    isDown = false;
    expect(await said(thread)).toEqual([]);
    await answer(thread, 'three');
    expect(given('three')).toEqual(['three']);
    await eventually('it is saved', async () => (await said(thread)).length === 1);
  });

  it('clears the store of a thread that is not open', async () => {
    const thread = threadOf('saved', { idleTimeout: '100ms' });
    await answer(thread, 'one');
    await eventually('it has ended', () => isEnded(thread));
    expect(await said(thread)).toEqual(['one']);
    await thread.clear();
    expect(await said(thread)).toEqual([]);
    expect(await thread.turns()).toEqual([]);
  });

  it('says clearly that its store gave it what is no turn, and is not stuck with it', async () => {
    rows = [{ id: 'a', user: 'one', assistant: '<one>', createdAt: 'yesterday' }];
    const thread = threadOf('foreign');
    await expect(thread.send('two')).rejects.toMatchObject({
      code: 'StoreError',
      message: expect.stringContaining('createdAt must be a time in ISO 8601') as string,
    });
    const { status } = await longhaul.client.workflow.getHandle(thread.threadId).describe();
    expect(status.name).toBe('FAILED');
    rows = [];
    expect(await answer(thread, 'two')).toBe('<two>');
  });

  it('gives a summary for older turns, when the provider says that the context is nearly full', async () => {
    const thread = threadOf('summarised');
    for (const text of ['one', 'two', 'three', 'four', 'five']) await answer(thread, text);
    const summary = 'Summary of the conversation so far:\nThey counted.';
    expect(given('three')).toEqual(['one', long('one'), 'two', long('two'), 'three']);
    expect(given('four')).toEqual([summary, 'three', long('three'), 'four']);
    expect(given('five')).toEqual([summary, 'three', long('three'), 'four', long('four'), 'five']);
    const asked = agents.provider.requests.map(lastText).filter((text) => text.startsWith('<conv'));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`user: one\n\nassistant: ${long('one')}\n\nuser: two`);
    expect(asked[0]).not.toContain('three');
    expect(await thread.turns()).toHaveLength(5);
    expect(await thread.state()).toMatchObject({
      usage: { totalTokens: 4 * 100 + 900 + 50 },
      costUsd: 0.012,
    });
  });
});
