// Agents behind HTTP: real `node:http` servers in front of a real Temporal server.

import { defineTool, subAgent } from '../../src';
import type { InboxItem, Longhaul, PendingInput } from '../../src/client';
import { agentHandler, type Principal } from '../../src/http';
import type { StreamEvent } from '../../src/core/stream/events';
import { callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { adapters, caller, principalOf, type Reply, serve, type Server } from './http-server';
import { scriptedAgents } from './scripted-agents';

const ada: Principal = { user: 'ada', tenant: 'acme', roles: ['finance'], name: 'Ada' };
const bob: Principal = { user: 'bob', tenant: 'acme' };

/** An agent whose tool needs approval, one above it, one that asks, one that talks, and one that no handler has. */
function agents() {
  const transfers: object[] = [];
  const transfer = defineTool<{ to: string; amount: number }>({
    name: 'transfer',
    description: 'Transfers money',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, amount: { type: 'number' } },
      required: ['to', 'amount'],
    },
    effect: 'once',
    needsApproval: true,
    execute: (args, { context }) => {
      transfers.push({ ...args, context });
      return { transferred: args.amount };
    },
  });
  const scripted = scriptedAgents();
  const payment = callOf('transfer', { to: 'Ann', amount: 100 });
  const payer = scripted.agent('payer', [payment, 'Paid.'], { tools: [transfer] });
  const runners = [
    payer,
    scripted.agent('manager', [callOf('pay', { input: 'Pay Ann.' }), 'Settled.'], {
      tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
    }),
    scripted.agent('asker', [callOf('ask_user', { question: 'Which?' }), 'Thanks.'], {
      askUser: 'tool',
    }),
    scripted.agent('talker', ['Hello.']),
    scripted.agent('hidden', [payment, 'Paid.'], { tools: [transfer] }),
  ];
  return { transfers, options: { runners, providers: { scripted: scripted.provider } } };
}

describe('agents behind HTTP', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  let handler: (request: Request) => Promise<Response>;
  let server: Server;
  let transfers: object[];

  const errors: unknown[] = [];
  const as = (principal: Principal) => caller(server, principal);

  beforeAll(async () => {
    harness = await openHarness();
    longhaul = harness.longhaul;
    const made = agents();
    transfers = made.transfers;
    await harness.deploy(made.options);
    handler = agentHandler(longhaul, {
      agents: ['payer', 'manager', 'asker', 'talker'],
      authenticate: principalOf,
      startWith: ({ principal }) => ({ context: { account: principal.user } }),
      onError: (error) => errors.push(error),
    });
    server = await serve(adapters.node(handler));
  });
  afterAll(async () => {
    await server.close();
    await harness.close();
  });
  afterEach(() => expect(errors.splice(0)).toEqual([]));

  /** The path of a run that waits for people, and its first input. */
  async function paused(principal: Principal, agent: string) {
    const { body } = await as(principal).post(`/${agent}/runs`, { input: 'Go.' });
    const path = `/runs/${encodeURIComponent(body.workflowId)}`;
    return { workflowId: body.workflowId, path, input: await inputOf(principal, path) };
  }

  async function inputOf(principal: Principal, path: string): Promise<PendingInput> {
    let found: PendingInput | undefined;
    await eventually('an open input', async () => {
      const { body } = await as(principal).get(path);
      found = body.pending[0];
      return found !== undefined;
    });
    if (found === undefined) throw new Error('no input');
    expect(found).not.toHaveProperty('nonce');
    return found;
  }

  /** The state of a run when it has ended. */
  async function ended(principal: Principal, path: string): Promise<Reply['body']> {
    let state = await as(principal).get(path);
    await eventually('the end', async () => {
      state = await as(principal).get(path);
      return state.body.result !== undefined || state.body.error !== undefined;
    });
    return state.body;
  }

  test('a run starts, pauses, is approved with other arguments, and ends', async () => {
    const { path, input } = await paused(ada, 'payer');
    const approve = `${path}/inputs/${encodeURIComponent(input.inputId)}/approve`;
    const args = { to: 'Ann', amount: 40 };
    const unseen = await as(ada).post(approve, { args, seen: 'something else' });
    expect([unseen.status, unseen.body.code]).toEqual([409, 'InputChanged']);
    const wrong = await as(ada).post(approve, { args: { to: 7 }, seen: input.digest });
    expect(wrong.status).toBe(422);
    const approved = await as(ada).post(approve, { args, seen: input.digest, note: 'agreed' });
    expect([approved.status, approved.body]).toEqual([200, { missing: 0 }]);
    const end = await ended(ada, path);
    expect(end).toMatchObject({ status: 'completed', result: { text: 'Paid.' }, pending: [] });
    expect(transfers.splice(0)).toEqual([{ ...args, context: { account: 'ada' } }]);
    const late = await as(ada).post(approve, { args, seen: input.digest });
    expect(late.status).toBe(409);
    const { body } = await as(ada).get(`${path}/transcript`);
    expect(JSON.stringify(body.messages)).toContain('"transferred":40');
    const audit = await longhaul.run(end.workflowId).audit();
    expect(audit).toContainEqual(
      expect.objectContaining({
        by: { id: 'ada', name: 'Ada', roles: ['finance'] },
        note: 'agreed',
      }),
    );
  });

  test('what is not the caller’s does not exist', async () => {
    const run = await paused(ada, 'manager');
    const [child] = (await longhaul.run(run.workflowId).tree()).children;
    const turn = await as(ada).post('/talker/private/messages', { input: 'Hi' });
    const thread = longhaul.thread({ agent: 'talker', userId: 'ada', sessionId: 'private' });
    const [hidden, other] = await Promise.all([
      longhaul.start('hidden', 'Go.', { key: { appName: longhaul.application, userId: 'bob' } }),
      longhaul.start('payer', 'Go.', { key: { appName: 'other', userId: 'bob' } }),
    ]);
    const runs = [run, child, hidden, other, turn.body];
    const ids = [...runs.map((each) => each?.workflowId ?? ''), thread.threadId];
    const input = `inputs/${encodeURIComponent(run.input.inputId)}`;
    const unknown = await as(bob).get('/runs/nobody');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'RunNotFound' } });
    for (const id of [...ids, 'thread:x/y/z', 'x'.repeat(2_000)]) {
      const path = `/runs/${encodeURIComponent(id)}`;
      const replies = [
        await as(bob).get(path),
        await as(bob).get(`${path}/transcript`),
        await as(bob).get(`${path}/events?tree=1`),
        await as(bob).post(`${path}/cancel`),
        await as(bob).post(`${path}/messages`, { text: 'x' }),
        await as(bob).post(`${path}/${input}/approve`),
        await as(bob).post(`${path}/${input}/answer`, { answer: 'x' }),
      ];
      expect(replies.map(({ status, text }) => [status, text])).toEqual(
        replies.map(() => [404, unknown.text]),
      );
    }
    const childPath = `/runs/${encodeURIComponent(child?.workflowId ?? '')}`;
    expect((await as(ada).get(childPath)).body).toMatchObject({ runner: 'payer' });
    expect((await as({ ...bob, sees: 'tenant' }).get(run.path)).status).toBe(200);
    expect((await as({ user: 'bob', tenant: 'b', sees: 'tenant' }).get(run.path)).status).toBe(404);
    expect((await as({ user: 'root', sees: 'all' }).get(run.path)).status).toBe(200);
    expect((await as(ada).get(`/runs/${encodeURIComponent(thread.threadId)}`)).status).toBe(200);
    await Promise.all([hidden.cancel(), other.cancel()]);
    expect((await as(ada).post(`${run.path}/cancel`)).status).toBe(204);
    expect(await ended(ada, run.path)).toMatchObject({ error: { code: 'RunCancelled' } });
  });

  test('the inbox has what the caller may answer', async () => {
    const eve: Principal = { user: 'eve', tenant: 'acme' };
    const { workflowId, input } = await paused(eve, 'asker');
    const key = { appName: longhaul.application, userId: 'eve' };
    const hidden = await longhaul.start('hidden', 'Go.', { key });
    await hidden.outcome();
    const list = async (principal: Principal): Promise<readonly InboxItem[]> =>
      (await as(principal).get('/inbox?whole=1')).body.items;
    await eventually('the item', async () => (await list(eve)).length === 1);
    expect(await list(eve)).toEqual([
      expect.objectContaining({ workflowId, inputId: input.inputId, question: 'Which?' }),
    ]);
    expect((await list(ada)).map((item) => item.workflowId)).not.toContain(workflowId);
    expect((await as(eve).get('/runs')).body.runs).toEqual([
      expect.objectContaining({ workflowId, agent: 'asker', status: 'needs-input' }),
    ]);
    const path = `/runs/${workflowId}/inputs/${encodeURIComponent(input.inputId)}/answer`;
    expect((await as(eve).post(path, { answer: 'this' })).status).toBe(204);
    expect((await as(eve).post(path, { answer: 'that' })).status).toBe(409);
    expect(await ended(eve, `/runs/${workflowId}`)).toMatchObject({ result: { text: 'Thanks.' } });
    await hidden.cancel();
  });

  test('a run that the backend starts for a user is one of its runs', async () => {
    const key = { userId: 'flo', tenant: 'acme' };
    const run = await longhaul.start('asker', 'Go.', { key });
    await run.outcome();
    const flo = as({ user: 'flo', tenant: 'acme' });
    expect((await flo.get(`/runs/${run.workflowId}`)).status).toBe(200);
    await eventually('the run in the list', async () => {
      const { runs } = (await flo.get('/runs')).body;
      return runs.some(({ workflowId }: { workflowId: string }) => workflowId === run.workflowId);
    });
    await run.cancel();
  });

  test('a thread takes messages, lists its turns, and forgets them', async () => {
    expect((await as(ada).get('/talker/chat-1')).status).toBe(404);
    expect((await as(ada).get('/talker/chat-1/turns')).body).toEqual({ turns: [] });
    const send = async () =>
      await as(ada).post('/talker/chat-1/messages', { input: 'Hi', messageId: 'm-1' });
    const sent = [await send(), await send()];
    expect(sent.map(({ status }) => status)).toEqual([202, 202]);
    expect(sent[0]?.body).toMatchObject({ messageId: 'm-1', turn: 1 });
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    const turns = async () => (await as(ada).get('/talker/chat-1/turns?last=5')).body.turns;
    await eventually('the answer', async () => (await turns())[0]?.status === 'completed');
    expect(await turns()).toEqual([expect.objectContaining({ user: 'Hi', assistant: 'Hello.' })]);
    const listed = async () => (await as(ada).get('/threads?agent=talker')).body.threads;
    await eventually('the thread in the list', async () =>
      (await listed()).some(({ chat, status }) => chat === 'chat-1' && status === 'idle'),
    );
    expect((await as(bob).get('/threads')).body.threads).toEqual([]);
    expect((await as(ada).get('/asker/chat-1')).status).toBe(404);
    expect((await as(ada).post('/asker/chat-1/messages', { input: 'x' })).status).toBe(404);
    const namesake = as({ user: 'ada', tenant: 'globex' });
    expect((await namesake.get('/talker/chat-1')).status).toBe(404);
    expect((await namesake.post('/talker/chat-1/messages', { input: 'x' })).status).toBe(404);
    expect((await as(ada).post('/talker/chat-1/clear')).status).toBe(204);
    expect(await turns()).toEqual([]);
  });

  test.each(Object.entries(adapters))(
    'a stream goes on where the client left it (%s)',
    async (_, adapter) => {
      const other = await serve(adapter(handler));
      const eventsOf = (of: string, lastId?: string) =>
        caller(other, ada).events(`${of}/events`, lastId);
      const { workflowId, path, input } = await paused(ada, 'payer');
      const seen: StreamEvent[] = [];
      let last: string | undefined;
      for await (const { id, data } of eventsOf(path)) {
        seen.push(data);
        last = id;
        if (data.type === 'paused') break;
      }
      expect(seen.map(({ type }) => type)).toEqual(expect.arrayContaining(['user', 'step-end']));
      expect(JSON.stringify(seen)).not.toContain('nonce');
      const foreign = await paused(ada, 'payer');
      await expect(eventsOf(foreign.path, last).next()).rejects.toThrow('InvalidInput');
      await as(ada).post(`${foreign.path}/cancel`, { reason: 'enough' });
      await as(ada).post(`${path}/inputs/${encodeURIComponent(input.inputId)}/reject`, {
        reason: 'too much',
      });
      const rest: StreamEvent[] = [];
      for await (const { id, data } of eventsOf(path, last)) {
        rest.push(data);
        last = id;
      }
      expect(rest.filter(({ type }) => type === 'user')).toEqual([]);
      expect(rest.at(-1)).toMatchObject({ type: 'end', workflowId, status: 'completed' });
      expect(last).toBe('end');
      expect(await eventsOf(path, last).next()).toMatchObject({ done: true });
      await other.close();
    },
  );

  test.each(Object.entries(adapters))(
    'a body of 10 MB gets its answer (%s)',
    async (_, adapter) => {
      const other = await serve(adapter(handler));
      const headers = { 'x-user': JSON.stringify(ada), 'content-type': 'application/json' };
      const chunk = new Uint8Array(1_000_000).fill(0x20);
      const chunks = (): ReadableStream =>
        new Blob(Array.from({ length: 10 }, () => chunk)).stream();
      for (const body of [new Uint8Array(10_000_000), chunks()]) {
        const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
        const answer = await fetch(`${other.url}/payer/runs`, init);
        expect([answer.status, (await answer.json()) as object]).toEqual([
          413,
          expect.objectContaining({ code: 'PayloadTooLarge' }),
        ]);
      }
      await other.close();
    },
  );
});
