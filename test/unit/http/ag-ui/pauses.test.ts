// Pure: no server.
import {
  below,
  digest,
  books,
  own,
  begin,
  say,
  stepEnd,
  call,
  result,
  pending,
  paused,
  end,
  Client,
  shownAfter,
  resumed,
} from './segments';

let warn: jest.SpyInstance;
beforeEach(() => {
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  warn.mockRestore();
});

const asks = [begin(1), say(1, 'May I?'), ...call(1, ['{"amount": 1}']), stepEnd(1)];
const approved = [
  own({ type: 'call-edited', turn: 1, index: 0, callId: 'call_0', args: { amount: 5 } }),
  result(1, 'paid'),
  begin(2),
  say(2, 'Paid'),
  stepEnd(2),
  end(),
];

describe('a pause', () => {
  it('interrupts, and the next run goes on: with the same messages as in one run', async () => {
    const stop = paused(pending());
    const client = new Client();
    await client.run({ events: [...asks, stop] });
    expect(client.agent.pendingInterrupts).toEqual([
      {
        id: `a1.0@${digest('turn-1')}`,
        reason: 'tool_call',
        message: 'May pay run?',
        toolCallId: 'turn-1/1/call-0',
        responseSchema: {
          type: 'object',
          properties: {
            approved: { type: 'boolean' },
            editedArgs: { type: 'object' },
            reason: { type: 'string' },
          },
          required: ['approved'],
        },
        metadata: { kind: 'approval', path: 'desk', agent: 'desk' },
      },
    ]);
    await client.run({ before: asks, events: approved }, resumed(client));
    expect(client.types).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    expect(client.agent.pendingInterrupts).toEqual([]);
    expect(client.shown).toEqual(await shownAfter({ events: [...asks, ...approved] }));
    expect(warn).not.toHaveBeenCalled();
  });

  it('goes on for a client whose connection broke, and for one that has nothing', async () => {
    const whole = await shownAfter({ events: [...asks, ...approved] });
    const broken = new Client([
      { id: 'm1', role: 'user', content: 'Pay!' },
      { id: 'turn-1/1', role: 'assistant', content: 'May' },
      { id: 'turn-1/2', role: 'assistant', content: 'Pai' },
      { id: 'turn-1/1/part-7', role: 'reasoning', content: 'Old' },
    ]);
    await broken.run({ before: asks, events: approved });
    const empty = { id: 'turn-1/no-reasoning', role: 'reasoning', content: '' };
    expect(broken.shown).toEqual([empty, ...whole]);
    const other = new Client([]);
    await other.run({ before: asks, events: approved });
    expect(other.shown).toEqual(whole);
  });

  it('goes on after a cut with reasoning where a page that reloads has it', async () => {
    const thinks = [
      begin(1),
      ...call(1, []),
      stepEnd(1),
      result(1, 'paid'),
      begin(2),
      say(2, 'Hm', { type: 'reasoning' }),
    ];
    const rest = [say(2, 'Paid', { part: 1 }), stepEnd(2), end()];
    const client = new Client();
    await client.run({ events: thinks });
    await client.run({ events: [...thinks, ...rest] });
    expect(client.shown).toEqual(await shownAfter({ events: [...thinks, ...rest] }));
  });

  it('goes on after a cut with each result behind its call', async () => {
    const works = [begin(1, below), ...call(1, [], { place: below }), stepEnd(1, below)];
    const both = [
      begin(1),
      ...call(1, []),
      ...call(1, [], { index: 1, name: 'books' }),
      stepEnd(1),
      ...works,
    ];
    const decided = [result(1, 'paid')];
    const rest = [result(1, 'lent', { place: below }), result(1, 'done', { index: 1 }), end()];
    const client = new Client();
    await client.run({ events: [...both, paused(pending(), pending({}, below))] });
    await client.run({ before: [...both, ...decided], events: rest }, resumed(client));
    expect(client.shown).toEqual(await shownAfter({ events: [...both, ...decided, ...rest] }));
  });

  it.each([
    [
      'question',
      { question: 'Which?', options: ['A', 'B'] },
      { type: 'string', examples: ['A', 'B'] },
    ],
    ['question', { schema: { type: 'number' } }, { type: 'number' }],
    ['budget', {}, { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { const: 'stop' }] }],
    ['approval', { schema: { title: 'x' } }, { properties: { editedArgs: { title: 'x' } } }],
  ] as const)('publishes what a %s takes: %j', async (kind, over, schema) => {
    const client = new Client();
    const inputId = kind === 'budget' ? 'budget-1-5' : 'q1';
    const expiresAt = '2999-01-01T00:00:00.000Z';
    await client.run({
      events: [paused(pending({ kind, inputId, expiresAt, digest: 'd', ...over }))],
    });
    const [interrupt] = client.agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      responseSchema: schema,
      expiresAt,
      metadata: { digest: 'd' },
    });
    expect(interrupt).not.toHaveProperty('toolCallId');
  });

  it('ends with success if only the own tools of the client are open', async () => {
    const client = new Client();
    const input = pending({ kind: 'tool', inputId: 't1.0' });
    const open: string[][] = [];
    client.agent.subscribe({
      onRunFinishedEvent: (finished) => {
        if (finished.outcome === 'success') open.push([...finished.pendingToolCallIds]);
      },
    });
    await client.run({ events: [...asks, paused(input)] });
    expect(open).toEqual([['turn-1/1/call-0']]);
    client.agent.addMessage({
      id: 'r',
      role: 'tool',
      toolCallId: 'turn-1/1/call-0',
      content: 'A1',
    });
    await client.run({
      before: asks,
      events: [result(1, 'A1'), begin(2), say(2, 'ok'), stepEnd(2), end()],
    });
    expect(client.types).not.toContain('TOOL_CALL_RESULT');
    expect(client.agent.messages.map(({ id }) => id)).toEqual(['m1', 'turn-1/1', 'r', 'turn-1/2']);
  });
});

describe('a sub-agent', () => {
  const asked = [begin(1), ...call(1, [], { name: 'books' }), stepEnd(1)];
  const works = [
    begin(1, below),
    say(1, 'Shelf?', { place: below }),
    ...call(1, [], { place: below }),
    stepEnd(1, below),
  ];

  it('is suspended at a pause, and starts again', async () => {
    const client = new Client();
    const input = pending({ inputId: 'a1.0-2' }, below);
    await client.run({ events: [...asked, ...works, paused(input)] });
    const subagentRunId = books;
    expect(client.written).toContainEqual({
      type: 'SUBAGENT_STARTED',
      subagentRunId,
      name: 'books',
      parentToolCallId: 'turn-1/1/call-0',
      parentMessageId: 'turn-1/1',
    });
    expect(client.written).toContainEqual({
      type: 'SUBAGENT_FINISHED',
      subagentRunId,
      outcome: { type: 'suspended', interruptIds: [input.inputId] },
    });
    expect(client.agent.pendingInterrupts).toMatchObject([
      { toolCallId: `${books}/1/call-0`, subagentRunId, metadata: { path: 'desk/books' } },
    ]);
    const rest = [
      result(1, 'lent', { place: below }),
      end({ status: 'completed', result: { text: 'Shelf 4' } }, below),
      result(1, 'Shelf 4'),
      end(),
    ];
    await client.run(
      { before: [...asked, ...works, paused(input)], events: rest },
      resumed(client),
    );
    expect(client.types).toEqual([
      'RUN_STARTED',
      'SUBAGENT_STARTED',
      'TOOL_CALL_RESULT',
      'SUBAGENT_FINISHED',
      'TOOL_CALL_RESULT',
      'RUN_FINISHED',
    ]);
    expect(client.shown).toEqual(await shownAfter({ events: [...asked, ...works, ...rest] }));
    expect(client.agent.messages).toContainEqual(
      expect.objectContaining({ id: `${books}/1`, subagentRunId }),
    );
  });

  it('may fail without its caller, and has sub-agents of its own', async () => {
    const deep = {
      ...below,
      workflowId: `${below.workflowId}.shelf.1.0~ee`,
      path: 'desk/books/shelf',
      agent: 'shelf',
    };
    const client = new Client();
    await client.run({
      events: [
        ...asked,
        begin(1, below),
        say(1, 'Half', { place: below }),
        begin(1, deep),
        say(1, 'x', { place: deep }),
        stepEnd(1, deep),
        end({ status: 'failed', error: { code: 'ToolError', message: 'no shelf' } }, deep),
        begin(2),
        say(2, 'Without'),
        stepEnd(2),
        end(),
      ],
    });
    expect(client.written.filter(({ type }) => type.startsWith('SUBAGENT'))).toMatchObject([
      { name: 'books' },
      { name: 'shelf', parentSubagentRunId: books, parentToolCallId: `${books}/1/call-0` },
      { type: 'SUBAGENT_ERROR', code: 'ToolError', message: 'no shelf' },
      { type: 'SUBAGENT_FINISHED' },
    ]);
    expect(JSON.stringify(client.shown)).not.toContain('Half');
  });
});
