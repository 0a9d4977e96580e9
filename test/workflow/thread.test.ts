// Threads: turns one after the other, each given what was said before, by whomever it was sent.

import { randomUUID } from 'node:crypto';
import { defineTool, ProviderError, subAgent, type Agent } from '../../src';
import type { Longhaul, ThreadHandle } from '../../src/client';
import type { ThreadOptions } from '../../src/client/write/thread-input';
import { askUser } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const agents = scriptedAgents();
const echo: Script = [(request) => `<${lastText(request)}>`];
const ask = askUser('Which one?');

/** Held until it is let go, message by message. */
const gates = new Map<string, () => void>();
const held: Script = [
  async (request) => {
    await new Promise<void>((resolve) => gates.set(lastText(request), resolve));
    return `<${lastText(request)}>`;
  },
];
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
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  execute: () => 'sent',
});
/** Of the last message alone: the turns before it stand in the request, too. */
const inTurn = (script: Script): Script => [
  (request) => {
    const start = request.messages.findLastIndex(({ role }) => role === 'user');
    const step = script[Math.min(request.messages.length - 1 - start, script.length - 1)];
    return step as Script[number];
  },
];
const digger = agents.agent('digger', [ask, 'Dug.'], { askUser: 'tool' });
const runners: readonly Agent[] = [
  agents.agent('echo', echo, { instructions: 'Be brief.' }),
  agents.agent('short', echo, { memory: { kind: 'windowed', turns: 2 } }),
  agents.agent('forgetful', echo, { memory: { kind: 'windowed', turns: 0 } }),
  agents.agent('held', held),
  agents.agent('noting', inTurn([{ toolCalls: [{ name: 'note', args: {} }] }, 'ok', 'Noted.']), {
    tools: [noted],
  }),
  agents.agent(
    'mailer',
    inTurn([{ toolCalls: [{ name: 'send_mail', args: {} }] }, '', 'Mailed.']),
    {
      tools: [sendMail],
    },
  ),
  agents.agent(
    'manager',
    inTurn([{ toolCalls: [{ name: 'dig', args: { input: 'it' } }] }, '', 'Done.']),
    {
      tools: [subAgent(digger, { name: 'dig', description: 'Digs' })],
    },
  ),
  agents.agent('failing', [
    (request) =>
      lastText(request) === 'fail'
        ? { toolCalls: [{ name: 'unknown', args: {} }] }
        : `<${lastText(request)}>`,
    { error: new ProviderError('rejected', 'broken') },
  ]),
];
let count = 0;

describe('a thread', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  /** What comes of a message to a task queue without workers: it takes a while. */
  let unserved: Promise<unknown>;
  beforeAll(async () => {
    harness = await openHarness();
    ({ longhaul } = harness);
    unserved = sendUnserved(harness);
    await harness.worker({ runners, providers: { scripted: agents.provider } });
  });
  afterAll(() => harness.close());

  function threadOf(agent: string, options: Partial<ThreadOptions> = {}): ThreadHandle {
    count += 1;
    return longhaul.thread({ agent, sessionId: `${harness.taskQueue}-${count}`, ...options });
  }

  async function answer(thread: ThreadHandle, text: string): Promise<string> {
    const turn = await thread.send(text);
    return (await turn.result()).finalResponse.text;
  }

  /** What the model was given for the message. */
  function given(text: string): string[] {
    const request = agents.provider.requests.findLast((each) => lastText(each) === text);
    return linesOf(request?.messages ?? []);
  }

  it('gives each turn the turns before it, oldest first, and then the message', async () => {
    const thread = threadOf('echo');
    for (const text of ['one', 'two', 'three'])
      expect(await answer(thread, text)).toBe(`<${text}>`);
    expect(given('three')).toEqual(['one', '<one>', 'two', '<two>', 'three']);
    expect(agents.provider.requests.at(-1)?.instructions).toBe('Be brief.');
    const turns = await thread.turns();
    expect(
      turns.map(({ turn, status, user, assistant }) => [turn, status, user, assistant]),
    ).toEqual([
      [1, 'completed', 'one', '<one>'],
      [2, 'completed', 'two', '<two>'],
      [3, 'completed', 'three', '<three>'],
    ]);
    expect(await thread.turns({ last: 1 })).toEqual(turns.slice(-1));
    expect(await thread.state()).toMatchObject({ status: 'running', turn: 3, runner: 'echo' });
  });

  it.each([
    { agent: 'short', expected: ['two', '<two>', 'three', '<three>', 'four'] },
    { agent: 'forgetful', expected: ['four'] },
  ])(
    'gives the last turns only, where its memory is windowed: $agent',
    async ({ agent, expected }) => {
      const thread = threadOf(agent);
      for (const text of ['one', 'two', 'three', 'four']) await answer(thread, text);
      expect(given('four')).toEqual(expected);
      expect(await thread.turns()).toHaveLength(4);
    },
  );

  it('answers a message once, however often it is sent', async () => {
    const thread = threadOf('echo');
    const sent = await Promise.all(
      [1, 2, 3].map(() => thread.send('only once', { messageId: 'm-1' })),
    );
    await sent[0]?.result();
    const late = await thread.send('something else', { messageId: 'm-1' });
    expect((await late.result()).finalResponse.text).toBe('<only once>');
    expect(new Set([...sent, late].map(({ workflowId }) => workflowId)).size).toBe(1);
    expect(await thread.turns()).toHaveLength(1);
  });

  it('queues what comes while a turn runs, refuses it, or lets it cut in, as it is asked to', async () => {
    const thread = threadOf('held');
    const first = await thread.send('first', { messageId: 'a' });
    await eventually('the first runs', () => gates.has('first'));
    await expect(thread.send('refused', { whenBusy: 'reject' })).rejects.toMatchObject({
      code: 'ThreadBusy',
      details: { workflowId: first.workflowId },
    });
    const again = await thread.send('first', { messageId: 'a', whenBusy: 'reject' });
    expect(again.workflowId).toBe(first.workflowId);
    const second = await thread.send('second');
    expect((await thread.turns()).map(({ status }) => status)).toEqual(['running', 'queued']);
    const third = await thread.send('third', { whenBusy: 'interrupt' });
    await expect(first.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    await open('first');
    await open('second');
    await open('third');
    expect((await second.result()).finalResponse.text).toBe('<second>');
    expect((await third.outcome()).kind).toBe('complete');
    expect(given('third')).toEqual(['second', '<second>', 'third']);
    const turns = await thread.turns();
    expect(turns.map(({ user, status }) => [user, status])).toEqual([
      ['first', 'cancelled'],
      ['second', 'completed'],
      ['third', 'completed'],
    ]);
  });

  it('takes one of two messages that may not wait, also while it opens', async () => {
    const thread = threadOf('held');
    const sent = await Promise.allSettled(
      ['here', 'there'].map((text) => thread.send(text, { whenBusy: 'reject' })),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = sent.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'ThreadBusy' } });
    const [turn, ...others] = await thread.turns();
    expect(others).toEqual([]);
    await open(turn?.user as string);
  });

  it('tells what became of turns that were ended from outside, and of those it did not live to see', async () => {
    const { workflow } = harness.longhaul.client;
    const thread = threadOf('held');
    const killed = await thread.send('killed');
    await eventually('it runs', () => gates.has('killed'));
    await workflow.getHandle(killed.workflowId).terminate('enough');
    const stopped = await thread.send('stopped');
    await eventually('it runs', () => gates.has('stopped'));
    await stopped.cancel('enough');
    await expect(stopped.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    const running = await thread.send('running');
    await eventually('it runs', () => gates.has('running'));
    await thread.send('waiting');
    await workflow.getHandle(thread.threadId).terminate('enough');
    await expect(running.result()).rejects.toMatchObject({ code: 'RunClosed' });
    const unseen = { code: 'RunClosed', message: 'the thread ended before the turn did' };
    const turns = await thread.turns();
    expect(turns.map(({ user, status, failure }) => [user, status, failure])).toEqual([
      ['killed', 'failed', { code: 'RunClosed', message: 'the run was terminated' }],
      ['stopped', 'cancelled', { code: 'RunCancelled', message: 'the run was cancelled' }],
      ['running', 'failed', unseen],
      ['waiting', 'failed', unseen],
    ]);
    expect((await thread.state()).status).toBe('failed');
    for (const text of ['killed', 'stopped', 'running']) await open(text);
  });

  it('takes messages of two clients at once, each answered once, in one order', async () => {
    const options = { sessionId: `${harness.taskQueue}-shared` };
    const other = await harness.connect();
    const threads = [threadOf('echo', options), other.thread({ agent: 'echo', ...options })];
    const texts = Array.from({ length: 8 }, (_, index) => `said ${index}`);
    const sent = await Promise.all(
      texts.map((text, index) => (threads[index % 2] as ThreadHandle).send(text)),
    );
    const answers = await Promise.all(sent.map((turn) => turn.result()));
    expect(answers.map(({ finalResponse }) => finalResponse.text)).toEqual(
      texts.map((text) => `<${text}>`),
    );
    const [here, there] = await Promise.all(threads.map((thread) => thread.turns()));
    expect(here).toEqual(there);
    const order = (here ?? []).map(({ user }) => user as string);
    expect([...order].sort()).toEqual(texts);
    const last = order.at(-1) as string;
    expect(given(last)).toEqual([
      ...order.slice(0, -1).flatMap((text) => [text, `<${text}>`]),
      last,
    ]);
    await other.close();
  });

  it('keeps what users say apart', async () => {
    const sessionId = `${harness.taskQueue}-apart`;
    const ada = threadOf('echo', { sessionId, userId: 'ada' });
    const bob = threadOf('echo', { sessionId, userId: 'bob' });
    await answer(ada, "ada's secret");
    await answer(bob, "bob's question");
    expect(given("bob's question")).toEqual(["bob's question"]);
    expect((await bob.turns()).map(({ user }) => user)).toEqual(["bob's question"]);
    const found: string[] = [];
    await eventually('both are listed', async () => {
      found.length = 0;
      for await (const { key } of longhaul.threads({ agent: 'echo' })) {
        if (key?.sessionId === sessionId) found.push(key.userId);
      }
      return found.length === 2;
    });
    expect(found.sort()).toEqual(['ada', 'bob']);
  });

  it('remembers nothing of a turn that failed, and goes on', async () => {
    const thread = threadOf('failing');
    const failed = await thread.send('fail');
    await expect(failed.result()).rejects.toMatchObject({ code: 'ProviderError' });
    expect(await answer(thread, 'after')).toBe('<after>');
    expect(given('after')).toEqual(['after']);
    expect(await thread.turns()).toMatchObject([
      { status: 'failed', user: 'fail', failure: { code: 'ProviderError' } },
      { status: 'completed', user: 'after', assistant: '<after>' },
    ]);
    expect(await thread.state()).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    });
  });

  it('hands the session from turn to turn', async () => {
    const thread = threadOf('noting', { session: { notes: 40 } });
    await answer(thread, 'one');
    await answer(thread, 'two');
    expect(await thread.session()).toEqual({ notes: 42 });
  });

  it('shows the approval of a turn, once, and takes the decision', async () => {
    const thread = threadOf('mailer');
    const turn = await thread.send('Mail it.');
    const outcome = await turn.outcome();
    expect(outcome).toMatchObject({ kind: 'needs-input', path: 'mailer/turn-1' });
    await eventually('the thread asks', async () => (await thread.pending()).length === 1);
    const [pending] = await thread.pending();
    expect(pending).toMatchObject({ kind: 'approval', agentId: 'mailer', path: 'mailer/turn-1' });
    const listed: string[] = [];
    await eventually('it is listed', async () => {
      listed.length = 0;
      for await (const { workflowId } of longhaul.inbox({ agent: 'mailer' }))
        listed.push(workflowId);
      return listed.length > 0;
    });
    expect(listed).toEqual([thread.threadId]);
    await thread.approve(pending?.inputId ?? '');
    expect((await turn.result()).finalResponse.text).toBe('Mailed.');
    expect(await thread.pending()).toEqual([]);
    expect((await thread.state()).status).toBe('running');
  });

  it('shows the question of an agent below a turn, answered on the thread or on the turn', async () => {
    const thread = threadOf('manager');
    const first = await thread.send('Dig.');
    await first.outcome();
    await eventually('the thread asks', async () => (await thread.pending()).length === 1);
    expect(await thread.pending()).toMatchObject([
      { path: 'manager/turn-1/dig', question: 'Which one?' },
    ]);
    await thread.resume('this');
    expect((await first.result()).finalResponse.text).toBe('Done.');
    const second = await thread.send('Dig again.');
    await second.outcome();
    await second.resume('that');
    expect((await second.result()).finalResponse.text).toBe('Done.');
    await eventually('nothing is asked', async () => (await thread.pending()).length === 0);
  });

  it('forgets everything when it is cleared, also what is being said', async () => {
    const thread = threadOf('held', { session: { started: true } });
    const first = await thread.send('first');
    await open('first');
    await first.result();
    const second = await thread.send('second');
    await eventually('the second runs', () => gates.has('second'));
    await thread.clear();
    await open('second');
    expect((await second.result()).finalResponse.text).toBe('<second>');
    expect(await thread.turns()).toEqual([]);
    expect(await thread.session()).toEqual({ started: true });
    const again = await thread.send('first', { messageId: first.messageId });
    expect(again.workflowId).toBe(first.workflowId);
    const third = await thread.send('third');
    await open('third');
    await third.result();
    expect(given('third')).toEqual(['third']);
    expect((await thread.turns()).map(({ user }) => user)).toEqual(['third']);
  });

  it('that is cleared in the middle starts from nothing, with what is sent afterwards', async () => {
    const thread = threadOf('held');
    const texts = ['before', 'running', 'waiting', 'after', 'last'];
    const turns = [];
    for (const text of texts) {
      if (text === 'after') await thread.clear();
      turns.push(await thread.send(text));
      if (text === 'before') await open('before');
      if (text === 'running') await eventually('it runs', () => gates.has(text));
    }
    for (const text of texts.slice(1)) await open(text);
    await turns.at(-1)?.result();
    expect(given('running')).toEqual(['before', '<before>', 'running']);
    expect(given('waiting')).toEqual(['waiting']);
    expect(given('after')).toEqual(['after']);
    expect(given('last')).toEqual(['after', '<after>', 'last']);
  });

  it('says within seconds that no worker takes the message', async () => {
    await expect(unserved).resolves.toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining('Send it again with the same messageId') as string,
    });
  });

  it('says clearly why it cannot be opened', async () => {
    const thread = threadOf('echo', { idleTimeout: '1 minute' });
    await expect(thread.send('x')).rejects.toMatchObject({ code: 'InvalidInput' });
    const turn = thread.turn({ messageId: 'none', turn: 1, workflowId: 'none' });
    await expect(turn.outcome()).rejects.toMatchObject({ code: 'RunClosed' });
    expect(await threadOf('echo').turns()).toEqual([]);
  });
});

async function sendUnserved(harness: Harness): Promise<unknown> {
  const taskQueue = `unserved-${randomUUID()}`;
  const client = await harness.connect({ taskQueue });
  try {
    return await client.thread({ agent: 'echo', sessionId: taskQueue }).send('Is anybody there?');
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}

async function open(text: string): Promise<void> {
  await eventually(`'${text}' runs`, () => gates.has(text));
  gates.get(text)?.();
  gates.delete(text);
}
