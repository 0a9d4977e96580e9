// The transports and readers of older releases of the AI SDK, unchanged, talk to an agent: through the handler, without a socket.

import { randomUUID } from 'node:crypto';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import { defineAgent } from '../../src';
import { ProcessDeltas } from '../../src/stores';
import { agentHandler } from '../../src/http';
import { scriptedModel } from '../../src/testing/scripted-model';
import { aTool } from './builders';
import { type Harness, openHarness } from './harness';

type UIMessage = ai6.UIMessage;

// What is used here of version 5 is the same in version 6.
const releases = [
  { version: 5, sdk: ai5 as unknown as typeof ai6 },
  { version: 6, sdk: ai6 },
] as const;

describe.each(releases)('a chat of the AI SDK $version', ({ version, sdk }) => {
  const deltas = new ProcessDeltas();
  const chat = randomUUID();
  /** The turn ends only after the page has come back to it. */
  let see: () => void = () => undefined;
  const seen = new Promise<void>((resolve) => (see = resolve));
  let harness: Harness;
  let transport: ai6.ChatTransport<UIMessage>;

  beforeAll(async () => {
    harness = await openHarness();
    const pay = aTool('pay', ({ amount }) => `paid ${JSON.stringify(amount)}`, {
      needsApproval: true,
    });
    const tools = [pay, aTool('look', () => 'seen')];
    const desk = scriptedModel(
      [
        { text: 'Let me look.', toolCalls: [{ name: 'look', args: {} }] },
        { text: 'Shall I?', toolCalls: [{ name: 'pay', args: { amount: 5 } }] },
        () => seen.then(() => 'Done.'),
        'You are welcome.',
      ],
      { name: 'desk' },
    );
    const runners = [defineAgent({ id: 'desk', model: 'desk/one', tools })];
    await harness.deploy({ runners, providers: { desk }, deltas });
    const handle = agentHandler(harness.longhaul, {
      agents: ['desk'],
      authenticate: () => ({ user: 'ada' }),
      aiSdk: version,
      deltas,
    });
    transport = new sdk.DefaultChatTransport({
      api: 'http://127.0.0.1/desk',
      fetch: (url, init) => handle(new Request(url, init)),
    });
  });
  afterAll(async () => {
    await harness.close();
    await deltas.close();
  });

  const said = (text: string): UIMessage => ({
    id: randomUUID(),
    role: 'user',
    parts: [{ type: 'text', text }],
  });

  /** Sends the messages, and reads on in the last one if it is the agent's. */
  async function send(...messages: UIMessage[]): Promise<UIMessage> {
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: chat,
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    return await read(stream, messages.at(-1));
  }

  async function reload(onStream?: () => void): Promise<UIMessage> {
    const stream = await transport.reconnectToStream({ chatId: chat });
    if (stream === null) throw new Error('no turn is in progress');
    onStream?.();
    return await read(stream);
  }

  async function read(
    stream: ReadableStream<ai6.UIMessageChunk>,
    last?: UIMessage,
  ): Promise<UIMessage> {
    const before = last?.role === 'assistant' ? { message: structuredClone(last) } : {};
    let shown: UIMessage | undefined;
    for await (shown of sdk.readUIMessageStream({ stream, ...before, terminateOnError: true }));
    if (shown === undefined) throw new Error('nothing came');
    return shown;
  }

  const waiting = { type: 'tool-pay', input: { amount: 5 } };
  const toPause = [
    { type: 'step-start' },
    { type: 'text', text: 'Let me look.', state: 'done' },
    { type: 'tool-look', state: 'output-available', output: 'seen' },
    { type: 'step-start' },
    { type: 'text', text: 'Shall I?', state: 'done' },
  ];
  const paid = [
    ...toPause,
    { ...waiting, state: 'output-available', output: 'paid 5' },
    { type: 'step-start' },
    { type: 'text', text: 'Done.', state: 'done' },
  ];

  /** Version 5 has no approvals: a page of its own shows the inbox. */
  async function approved(question: UIMessage, message: UIMessage): Promise<UIMessage> {
    if (version === 6) {
      see();
      const parts = message.parts.map((part) =>
        sdk.isToolUIPart(part) && part.state === 'approval-requested'
          ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
          : part,
      ) as UIMessage['parts'];
      return await send(question, { ...message, parts });
    }
    const thread = harness.longhaul.thread({ agent: 'desk', userId: 'ada', sessionId: chat });
    const [input] = await thread.pending();
    await thread.approve(input?.inputId ?? '');
    return await reload(see);
  }

  it('runs a tool, waits for an approval, and goes on after it', async () => {
    const question = said('Pay.');
    const asked = await send(question);
    const state = version === 6 ? 'approval-requested' : 'input-available';
    expect(asked.parts).toMatchObject([...toPause, { ...waiting, state }]);
    expect(await reload()).toEqual(asked);

    const answered = await approved(question, asked);
    expect(answered.parts).toMatchObject(paid);
    const thanked = await send(question, answered, said('Thanks.'));
    expect(thanked.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'You are welcome.' },
    ]);
    expect(await transport.reconnectToStream({ chatId: chat })).toBeNull();
  });
});
