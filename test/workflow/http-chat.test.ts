// The AI SDK's own client, unchanged, talks to an agent: through the handler, without a socket.

import { randomUUID } from 'node:crypto';
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { defineAgent, defineTool, subAgent } from '../../src';
import type { JsonObject } from '../../src/base/json';
import type { PendingInput } from '../../src/client';
import { ProcessDeltas } from '../../src/stores';
import { agentHandler } from '../../src/http';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { askUser, aTool, callOf } from './builders';
import { eventually } from './eventually';
import { type Harness, openHarness } from './harness';

class Chat extends AbstractChat<UIMessage> {
  readonly #finished: () => Promise<void>;

  constructor(init: Omit<ChatInit<UIMessage>, 'messages'>) {
    const messages: UIMessage[] = [];
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => {
        state.messages[index] = structuredClone(message);
      },
      snapshot: (value) => structuredClone(value),
    };
    let finish = (): void => undefined;
    super({ ...init, state, onFinish: () => finish() });
    this.#finished = () => new Promise((resolve) => (finish = resolve));
  }

  /** Answers, and waits for the request that the client then sends by itself. */
  async answer(give: () => Promise<void>): Promise<void> {
    const finished = this.#finished();
    await give();
    await finished;
  }
}

describe('a chat of the AI SDK', () => {
  let harness: Harness;
  const deltas = new ProcessDeltas();
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(async () => {
    await harness.close();
    await deltas.close();
  });

  const pay = aTool('pay', ({ amount }) => `paid ${JSON.stringify(amount)}`, {
    needsApproval: true,
  });

  async function deploy(
    desk: readonly ScriptedStep[],
    books: readonly ScriptedStep[] = [],
  ): Promise<void> {
    const below = defineAgent({
      id: 'books',
      description: 'Keeps books',
      model: 'books/one',
      tools: [pay],
    });
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
    const providers = {
      desk: scriptedModel(desk, { name: 'desk' }),
      books: scriptedModel(books, { name: 'books' }),
    };
    await harness.deploy({ runners: [agent, below], providers, deltas });
  }

  const handlerFor = (user: string): ((request: Request) => Promise<Response>) =>
    agentHandler(harness.longhaul, {
      agents: ['desk'],
      authenticate: () => ({ user, roles: ['clerk'] }),
      basePath: '/agents',
      clientTools: true,
      deltas,
    });

  function openChat(user: string, id: string = randomUUID()): Chat {
    const handle = handlerFor(user);
    const api = 'http://127.0.0.1/agents/desk';
    return new Chat({
      id,
      transport: new DefaultChatTransport({
        api,
        fetch: (url, init) => handle(new Request(url, init)),
      }),
      sendAutomaticallyWhen: (options) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
        lastAssistantMessageIsCompleteWithToolCalls(options),
    });
  }

  const post = (user: string, path: string, body: object): Promise<Response> =>
    handlerFor(user)(
      new Request(`http://127.0.0.1/agents/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );

  const partsOf = (chat: Chat): UIMessage['parts'] => chat.lastMessage?.parts ?? [];

  it('streams text, runs a tool and asks, over several turns', async () => {
    await deploy([
      { text: 'Let me look.', toolCalls: [{ name: 'look', args: {} }] },
      'I saw it.',
      askUser('Which colour?', ['red', 'blue']),
      'Blue it is.',
    ]);
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Look!' });
    expect(chat.error).toBeUndefined();
    expect(partsOf(chat)).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-look', state: 'output-available', output: 'seen' },
      { type: 'step-start' },
      { type: 'text', text: 'I saw it.', state: 'done' },
    ]);

    await chat.sendMessage({ text: 'Paint it.' });
    const asked = partsOf(chat).find(isToolUIPart);
    expect(asked).toMatchObject({ type: 'tool-ask_user', state: 'input-available' });
    const { toolCallId = '' } = asked ?? {};
    const output = { tool: 'ask_user' as never, toolCallId, output: 'blue' as never };
    await chat.answer(async () => chat.addToolOutput(output));
    expect(partsOf(chat).at(-1)).toMatchObject({ text: 'Blue it is.' });
    expect(chat.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('approves and rejects, also for a run below, and a reload shows the same', async () => {
    await deploy(
      [callOf('pay', { amount: 5 }), callOf('books', { input: 'Pay.' }), 'Done.'],
      [callOf('pay', { amount: 7 }), 'Not paid.'],
    );
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Pay.' });
    const own = partsOf(chat).find(isToolUIPart);
    expect(own).toMatchObject({ state: 'approval-requested', input: { amount: 5 } });
    const ownId = own?.approval?.id ?? '';
    const reason = 'As the contract says.';
    const approval = { id: ownId, approved: true, reason };
    await chat.answer(async () => chat.addToolApprovalResponse(approval));
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: chat.id });
    expect(await thread.audit()).toContainEqual(
      expect.objectContaining({ verdict: 'approve', note: reason }),
    );
    const below = partsOf(chat).findLast(isToolUIPart);
    expect(below).toMatchObject({
      type: 'dynamic-tool',
      toolName: 'pay',
      state: 'approval-requested',
      input: { amount: 7 },
    });

    const reloaded = openChat('ada', chat.id);
    await reloaded.resumeStream();
    expect(plain(reloaded.lastMessage)).toEqual(plain(chat.lastMessage));

    const id = below?.approval?.id ?? '';
    const refusal = { id, approved: false, reason: 'Too much.' };
    await chat.answer(async () => chat.addToolApprovalResponse(refusal));
    expect(partsOf(chat).filter(isToolUIPart)).toMatchObject([
      { type: 'tool-pay', state: 'output-available', output: 'paid 5' },
      { type: 'tool-books', state: 'output-available', output: 'Not paid.' },
      { state: 'output-denied', approval: { approved: false, reason: 'Too much.' } },
    ]);
    expect(partsOf(chat).at(-1)).toMatchObject({ text: 'Done.' });
  });

  it('approves with other arguments', async () => {
    await deploy([callOf('pay', { amount: 5 }), 'Done.']);
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Pay.' });
    const inputId = partsOf(chat).find(isToolUIPart)?.approval?.id ?? '';
    const data = { inputId, approved: true, args: { amount: 3 } };
    const message = {
      id: randomUUID(),
      role: 'user',
      parts: [{ type: 'data-longhaul-verdict', data }],
    };
    const response = await handlerFor('ada')(
      new Request('http://127.0.0.1/agents/desk', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: chat.id, message }),
      }),
    );
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"output":"paid 3"');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('answers in each message, though the provider counts its calls from 0 each time', async () => {
    const pick = defineTool({
      name: 'pick_item',
      description: 'The user picks an item on the page',
      inputSchema: { type: 'object', properties: {} },
      resultSchema: { type: 'object' },
      result: 'client',
    });
    const agent = defineAgent({
      id: 'desk',
      model: 'desk/one',
      tools: [pick, pay],
      askUser: 'tool',
    });
    const first = (name: string, args: JsonObject): ScriptedStep => ({
      toolCalls: [{ name, args, callId: 'gemini-call-0' }],
    });
    const steps = [first('pick_item', {}), first('ask_user', { question: 'Sure?' }), 'Well.'];
    const desk = scriptedModel([...steps, ...steps], { name: 'desk' });
    await harness.deploy({ runners: [agent], providers: { desk }, deltas });
    const chat = openChat('ada');
    for (const [item, sure] of [
      ['teapot', 'yes'],
      ['kettle', 'no'],
    ]) {
      await chat.sendMessage({ text: 'I want one.' });
      for (const output of [{ item }, sure]) {
        const { toolCallId = '', type = '' } = partsOf(chat).findLast(isToolUIPart) ?? {};
        const tool = type.replace('tool-', '') as never;
        await chat.answer(async () =>
          chat.addToolOutput({ tool, toolCallId, output: output as never }),
        );
      }
      expect(partsOf(chat).filter(isToolUIPart)).toMatchObject([
        { type: 'tool-pick_item', state: 'output-available', output: { item } },
        { type: 'tool-ask_user', state: 'output-available', output: sure },
      ]);
      expect(partsOf(chat).at(-1)).toMatchObject({ text: 'Well.' });
    }
  });

  it('is its own user’s: others find nothing in it', async () => {
    await deploy([callOf('pay', { amount: 5 }), 'Done.']);
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Pay.' });
    const stranger = openChat('eve', chat.id);
    await stranger.resumeStream();
    expect(stranger.messages).toEqual([]);
    const id = partsOf(chat).find(isToolUIPart)?.approval?.id ?? '';
    stranger.messages = structuredClone(chat.messages);
    await stranger.answer(async () => stranger.addToolApprovalResponse({ id, approved: true }));
    expect(stranger.status).toBe('error');
    expect(partsOf(chat).find(isToolUIPart)).toMatchObject({ state: 'approval-requested' });
  });

  it('waits for a result by token, which no browser can make up', async () => {
    let began = (_token: string): void => undefined;
    const begun = new Promise<string>((resolve) => (began = resolve));
    const check = defineTool({
      name: 'check_account',
      description: 'Asks the bank',
      inputSchema: { type: 'object', properties: {} },
      resultSchema: { type: 'object' },
      result: 'later',
      execute: (_args, { resultToken }) => began(resultToken),
    });
    const agent = defineAgent({ id: 'desk', model: 'desk/one', tools: [check] });
    const desk = scriptedModel([callOf('check_account'), 'It exists.'], { name: 'desk' });
    await harness.deploy({ runners: [agent], providers: { desk }, deltas });
    const chat = openChat('ada');
    const sent = chat.sendMessage({ text: 'Is it ours?' });
    const token = await begun;
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: chat.id });
    let open: readonly PendingInput[] = [];
    while (open.length === 0) open = await thread.pending();
    expect(open).toMatchObject([{ kind: 'tool', byToken: true }]);
    const [turn] = await thread.turns();
    const ids = [turn?.workflowId, open[0]?.inputId].map((id) => encodeURIComponent(id ?? ''));
    const path = `runs/${ids[0]}/inputs/${ids[1]}/complete`;
    const forged = await post('ada', path, { value: { exists: true } });
    expect(forged.status).toBe(403);
    const part = {
      type: 'tool-check_account',
      state: 'output-available',
      output: { exists: true },
    };
    // The answer comes by a connection of its own, and may begin later than what came before.
    await eventually('the call', () => partsOf(chat).some(isToolUIPart));
    const { toolCallId } = partsOf(chat).find(isToolUIPart) ?? {};
    const message = { id: turn?.workflowId, role: 'assistant', parts: [{ ...part, toolCallId }] };
    expect((await post('ada', 'desk', { id: chat.id, message })).status).toBe(403);

    await harness.longhaul.completeByToken(token, { exists: false });
    await sent;
    expect(partsOf(chat).find(isToolUIPart)).toMatchObject({ output: { exists: false } });
    expect(partsOf(chat).at(-1)).toMatchObject({ text: 'It exists.' });
  });

  const pageTool = (name: string) => ({
    name,
    description: 'Lets the user pick an item',
    inputSchema: { type: 'object', properties: { shelf: { type: 'number' } } },
  });

  it('takes tools of the page', async () => {
    await deploy([callOf('pick_item', { shelf: 'x' }), callOf('pick_item', { shelf: 3 }), 'Fine.']);
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Hello' }, { body: { clientTools: [pageTool('pick_item')] } });
    const part = partsOf(chat).findLast(isToolUIPart);
    expect(part).toMatchObject({ type: 'tool-pick_item', input: { shelf: 3 } });
    await chat.answer(async () =>
      chat.addToolOutput({
        tool: 'pick_item',
        toolCallId: part?.toolCallId ?? '',
        output: { item: 'teapot' },
      }),
    );
    expect(partsOf(chat).at(-1)).toMatchObject({ text: 'Fine.' });
  });

  it.each<[string, (chat: string, tools: readonly object[]) => [path: string, body: object]]>([
    ['a run', (_chat, clientTools) => ['desk/runs', { input: 'Hello', clientTools }]],
    [
      'a message',
      (chat, clientTools) => [`desk/${chat}/messages`, { input: 'Hello', clientTools }],
    ],
    ['the AI SDK', (id, clientTools) => ['desk', { id, message: said, clientTools }]],
    [
      'AG-UI',
      (threadId, tools) => ['desk/agui', { threadId, runId: 'r', messages: [said], tools }],
    ],
  ])('tells %s at the request that a name is taken', async (_wire, request) => {
    await deploy([]);
    const refused = await post('ada', ...request(randomUUID(), [pageTool('look')]));
    expect(await refused.json()).toMatchObject({
      status: 400,
      code: 'InvalidInput',
      detail: expect.stringContaining(
        "client tool 'look' has the name of a tool of the workers: rename it",
      ) as string,
    });
  });

  it('shows a text that came meanwhile once, in a page that loads the turn and then its stream', async () => {
    await deploy([callOf('pay', { amount: 5 }), 'Paid, with a receipt.']);
    const chat = openChat('ada');
    await chat.sendMessage({ text: 'Pay.' });
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: chat.id });
    await thread.send('A receipt, please.', { whenBusy: 'steer' });
    const [{ inputId } = { inputId: '' }] = await thread.pending();
    await thread.approve(inputId, { by: { id: 'bob', roles: ['clerk'] } });
    while ((await thread.turns()).every(({ status }) => status !== 'completed')) continue;
    const path = `http://127.0.0.1/agents/desk/${chat.id}/ui-messages`;
    const loaded = (await (await handlerFor('ada')(new Request(path))).json()) as {
      readonly messages: UIMessage[];
    };
    const steering = {
      type: 'steering-message',
      parts: [{ type: 'text', text: 'A receipt, please.' }],
    };
    const answer = { type: 'text', text: 'Paid, with a receipt.' };
    expect(loaded).toMatchObject({
      messages: [
        { role: 'user', parts: [{ text: 'Pay.' }] },
        { role: 'assistant', parts: [steering, answer] },
      ],
    });
    const reloaded = openChat('ada', chat.id);
    reloaded.messages = loaded.messages;
    await reloaded.resumeStream();
    const texts = JSON.stringify(reloaded.messages).split('A receipt, please.');
    expect([reloaded.messages.length, texts.length]).toEqual([2, 2]);
    expect(partsOf(reloaded)).toContainEqual(loaded.messages[1]?.parts[0]);
  });

  it('stops', async () => {
    await deploy([{ text: 'a'.repeat(50), delayMs: 60_000 }, 'never']);
    const chat = openChat('ada');
    const sent = chat.sendMessage({ text: 'Go on for ever.' });
    const handle = handlerFor('ada');
    const stop = (): Promise<Response> =>
      handle(
        new Request(`http://127.0.0.1/agents/desk/${chat.id}/stop`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        }),
      );
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: chat.id });
    while ((await thread.turns()).every(({ status }) => status !== 'running')) continue;
    expect((await stop()).status).toBe(204);
    await sent;
    expect(chat.status).toBe('ready');
    expect((await thread.turns()).at(-1)).toMatchObject({ status: 'cancelled' });
  });
});

const said = {
  id: 'm1',
  role: 'user',
  content: 'Hello',
  parts: [{ type: 'text', text: 'Hello' }],
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
