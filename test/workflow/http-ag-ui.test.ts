// The client of AG-UI, unchanged, talks to an agent over a socket.

import { randomUUID } from 'node:crypto';
import { HttpAgent, type Interrupt, type Message, type ResumeEntry } from '@ag-ui/client';
import { AgentCapabilitiesSchema } from '@ag-ui/core/schemas';
import { defineAgent, subAgent } from '../../src';
import { ProcessDeltas } from '../../src/stores';
import { agentHandler } from '../../src/http';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { askUser, aTool, callOf } from './builders';
import { type Harness, openHarness } from './harness';
import { adapters, serve, type Server } from './http-server';

describe('an agent behind AG-UI', () => {
  let harness: Harness;
  let server: Server;
  let url: string;
  const deltas = new ProcessDeltas();

  beforeAll(async () => {
    harness = await openHarness();
    const handle = agentHandler(harness.longhaul, {
      agents: ['desk'],
      authenticate: (request) => ({ user: request.headers.get('x-user') ?? 'ada' }),
      clientTools: true,
      deltas,
    });
    server = await serve(adapters.node(handle));
    url = `${server.url}/desk/agui`;
  });

  afterAll(async () => {
    await server.close();
    await harness.close();
    await deltas.close();
  });

  const pay = aTool('pay', ({ amount }) => `paid ${JSON.stringify(amount)}`, {
    needsApproval: true,
    inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
  });

  async function deploy(desk: readonly ScriptedStep[], books: readonly ScriptedStep[] = []) {
    const below = defineAgent({ id: 'books', model: 'books/one', tools: [pay] });
    const agent = defineAgent({
      id: 'desk',
      model: 'desk/one',
      tools: [
        pay,
        aTool('look', () => 'seen'),
        subAgent(below, { name: 'books', description: 'Keeps the books' }),
      ],
      askUser: 'tool',
    });
    const model = scriptedModel(desk, { name: 'desk' });
    const providers = { desk: model, books: scriptedModel(books, { name: 'books' }) };
    await harness.deploy({ runners: [agent, below], providers, deltas });
    return model;
  }

  function openAgent(threadId: string = randomUUID(), messages: Message[] = []): HttpAgent {
    return new HttpAgent({ url, threadId, initialMessages: messages });
  }

  async function say(agent: HttpAgent, content: string, options: object = {}): Promise<void> {
    agent.addMessage({ id: randomUUID(), role: 'user', content });
    await agent.runAgent(options);
  }

  type Answers = (interrupt: Interrupt) => Omit<ResumeEntry, 'interruptId'>;
  const answer = async (agent: HttpAgent, give: Answers): Promise<void> => {
    const resume = agent.pendingInterrupts.map((each) => ({ interruptId: each.id, ...give(each) }));
    await agent.runAgent({ resume });
  };
  const resolved = (payload: unknown): (() => Omit<ResumeEntry, 'interruptId'>) => {
    return () => ({ status: 'resolved', payload });
  };

  const shown = (agent: HttpAgent): unknown[] =>
    agent.messages.slice(1).map(({ role, content }) => [role, content]);

  /** What somebody sees who comes with nothing but the first message. */
  async function late({ threadId, messages }: HttpAgent): Promise<unknown[]> {
    const other = openAgent(threadId, messages.slice(0, 1));
    await other.runAgent();
    return shown(other);
  }

  const status = (agent: HttpAgent, body: object): Promise<{ status: number; code?: string }> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: agent.threadId, runId: 'r', messages: [], ...body }),
    }).then(async (response) => {
      const isProblem = response.status >= 400;
      const { code } = isProblem
        ? ((await response.json()) as { code: string })
        : { code: undefined };
      if (!isProblem) await response.body?.cancel();
      return { status: response.status, ...(code !== undefined && { code }) };
    });

  it('says what it supports', async () => {
    const capabilities: unknown = await (await fetch(url)).json();
    expect(AgentCapabilitiesSchema.parse(capabilities)).toMatchObject({
      humanInTheLoop: { interrupts: true, approveWithEdits: true },
    });
  });

  it('runs a tool, asks for approval with the schema of its arguments, and takes others', async () => {
    await deploy([
      { text: 'Let me look.', toolCalls: [{ name: 'look', args: {} }] },
      callOf('pay', { amount: 5 }),
      'Done.',
    ]);
    const agent = openAgent();
    await say(agent, 'Pay.');
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: 'tool_call',
      responseSchema: {
        properties: { editedArgs: { properties: { amount: { type: 'number' } } } },
      },
    });
    const wrong = { amount: 'much' };
    const entry = { interruptId: interrupt?.id, status: 'resolved' };
    const resume = [{ ...entry, payload: { approved: true, editedArgs: wrong } }];
    expect(await status(agent, { resume })).toEqual({ status: 422, code: 'InvalidAnswer' });
    await answer(agent, resolved({ approved: true, editedArgs: { amount: 3 } }));
    expect(shown(agent)).toEqual([
      ['assistant', 'Let me look.'],
      ['tool', 'seen'],
      ['assistant', undefined],
      ['tool', 'paid 3'],
      ['assistant', 'Done.'],
    ]);
    const call = agent.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    );
    expect(JSON.parse(call.at(-1)?.function.arguments ?? '')).toEqual({ amount: 3 });
    expect(await late(agent)).toEqual(shown(agent));
    const rejected = [{ ...entry, payload: { approved: false } }];
    expect(await status(agent, { resume: rejected })).toEqual({
      status: 409,
      code: 'AlreadyAnswered',
    });
  });

  it('asks a question, and goes on where the connection broke', async () => {
    await deploy([askUser('Which colour?', ['red', 'blue']), 'Blue it is.']);
    const agent = openAgent();
    await say(agent, 'Paint.');
    const broken = openAgent(agent.threadId, structuredClone(agent.messages));
    const resume = agent.pendingInterrupts.map(({ id: interruptId }) => ({
      interruptId,
      status: 'resolved' as const,
      payload: 'blue',
    }));
    await agent.runAgent({ resume });
    expect(shown(agent).at(-1)).toEqual(['assistant', 'Blue it is.']);
    await broken.runAgent({ resume });
    expect(broken.messages).toEqual(agent.messages);
    const given = resume.map(({ interruptId }) => ({ interruptId, status: 'cancelled' }));
    expect(await status(agent, { resume: given })).toEqual({ status: 200 });
    const unknown = [{ interruptId: 'a9.9@0', status: 'cancelled' }];
    expect(await status(agent, { resume: unknown })).toEqual({ status: 409, code: 'NotWaiting' });
  });

  it('gives a message that comes with an answer to the turn that waits', async () => {
    const model = await deploy([callOf('pay', { amount: 5 }), 'Not paid.']);
    const agent = openAgent();
    await say(agent, 'Pay.');
    agent.addMessage({ id: 'm2', role: 'user', content: 'Never mind.' });
    await answer(agent, () => ({ status: 'cancelled' }));
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('Never mind.');
    expect(agent.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Not paid.' });
  });

  it('suspends a sub-agent that asks, and takes a rejection', async () => {
    await deploy(
      [callOf('books', { input: 'Pay.' }), 'Not done.'],
      [callOf('pay', { amount: 7 }), 'Not paid.'],
    );
    const agent = openAgent();
    const seen: string[] = [];
    agent.subscribe({
      onSubagentStartedEvent: ({ event }) => void seen.push(`started ${event.name}`),
      onSubagentFinishedEvent: ({ event }) => void seen.push(event.outcome?.type ?? 'finished'),
    });
    await say(agent, 'Pay.');
    expect(agent.pendingInterrupts).toMatchObject([
      { subagentRunId: expect.any(String), metadata: { kind: 'approval', agent: 'books' } },
    ]);
    await answer(agent, resolved({ approved: false, reason: 'Too much.' }));
    expect(seen).toEqual(['started books', 'suspended', 'started books', 'finished']);
    expect(shown(agent).at(-1)).toEqual(['assistant', 'Not done.']);
    expect(JSON.stringify(agent.messages)).toContain('Too much.');
    expect(await late(agent)).toEqual(shown(agent));
  });

  it('calls tools of the client', async () => {
    const model = await deploy([callOf('pick_seat', { row: 12 }), 'Seat 12A.']);
    const agent = openAgent();
    const open: string[] = [];
    agent.subscribe({
      onRunFinishedEvent: (finished) => {
        if (finished.outcome === 'success') open.push(...finished.pendingToolCallIds);
      },
    });
    const parameters = { type: 'object', properties: { row: { type: 'number' } } };
    const tools = [{ name: 'pick_seat', description: 'Shows the seats', parameters }];
    await say(agent, 'A seat.', { tools });
    const [toolCallId = ''] = open;
    agent.addMessage({ id: 'mine', role: 'tool', toolCallId, content: '{"seat":"12A"}' });
    await agent.runAgent({ tools });
    expect(shown(agent)).toEqual([
      ['assistant', undefined],
      ['tool', '{"seat":"12A"}'],
      ['assistant', 'Seat 12A.'],
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('12A');
  });

  it('goes on after an abort, is cancelled, and tells a failure', async () => {
    await deploy([
      { text: 'Let me look.', toolCalls: [{ name: 'look' }] },
      { text: 'never', delayMs: 60_000 },
    ]);
    const agent = openAgent();
    const { threadId } = agent;
    const aborted = new Promise<void>((resolve) => {
      agent.subscribe({ onTextMessageContentEvent: () => (agent.abortRun(), resolve()) });
    });
    const sent = say(agent, 'Go on for ever.');
    await aborted;
    await sent;
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: threadId });
    const [turn] = await thread.turns();
    const again = openAgent(threadId, agent.messages);
    const outcomes: string[] = [];
    again.subscribe({
      onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome),
      onToolCallResultEvent: async () => {
        if (turn !== undefined) await thread.turn(turn).cancel('enough');
      },
    });
    await again.runAgent();
    expect(shown(again)).toEqual([
      ['assistant', 'Let me look.'],
      ['tool', 'seen'],
    ]);
    expect(outcomes).toEqual(['cancelled']);

    await deploy([]);
    const errors: (string | undefined)[] = [];
    again.subscribe({ onRunErrorEvent: ({ event }) => void errors.push(event.code) });
    await say(again, 'And now?');
    expect(errors).toEqual(['ProviderError']);
  });

  it('refuses what it does not take', async () => {
    const agent = openAgent();
    const user = (content: unknown): object => ({ messages: [{ id: 'm', role: 'user', content }] });
    const image = { type: 'image', source: { type: 'url', value: 'http://x/' } };
    const invalid = { status: 400, code: 'InvalidInput' };
    for (const body of [
      { threadId: 1 },
      { runId: '' },
      { messages: 'no' },
      { messages: [{ role: 'user', content: 'no id' }] },
      user([image]),
      user(7),
      { ...user('x'), resume: [{ interruptId: 'a' }] },
      { ...user('x'), tools: [{ name: 'x' }] },
    ])
      expect(await status(agent, body)).toEqual(invalid);
    const twice = [0, 1].map(() => ({ interruptId: 'a', status: 'cancelled' }));
    expect(await status(agent, { resume: twice })).toEqual(invalid);
    expect(await status(agent, {})).toEqual({ status: 409, code: 'NotWaiting' });
    const large = await status(agent, user('x'.repeat(10_000_000))).catch(() => ({ status: 413 }));
    expect(large).toMatchObject({ status: 413 });
  });
});
