// Pure: no server.
import { below, own, begin, say, stepEnd, call, result, end, Client, shownAfter } from './segments';

let warn: jest.SpyInstance;
beforeEach(() => {
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  warn.mockRestore();
});

describe('a run of AG-UI', () => {
  it('has text, reasoning, calls and results of each step', async () => {
    const client = new Client();
    await client.run({
      events: [
        own({ type: 'user', message: { role: 'user', parts: [] } }),
        begin(1),
        say(1, 'Hm', { type: 'reasoning' }),
        say(1, 'Let ', { part: 1 }),
        say(1, 'me.', { part: 1 }),
        ...call(1, ['{"amount', '": 1}']),
        say(1, 'Wait.', { part: 9 }),
        stepEnd(1),
        result(1, 'paid'),
        begin(2),
        say(2, 'Done'),
        stepEnd(2),
        end(),
        say(3, 'Nothing comes after the end'),
      ],
    });
    expect(client.shown).toEqual([
      { id: 'turn-1/1/part-0', role: 'reasoning', content: 'Hm' },
      { id: 'turn-1/1', role: 'assistant', content: 'Let me.', calls: [['pay', { amount: 1 }]] },
      {
        id: 'turn-1/1/result-0',
        role: 'tool',
        toolCallId: 'turn-1/1/call-0',
        content: 'paid',
      },
      { id: 'turn-1/1/part-9', role: 'assistant', content: 'Wait.' },
      { id: 'turn-1/2', role: 'assistant', content: 'Done' },
    ]);
    expect(client.written[0]).toMatchObject({ threadId: 'chat', protocolVersion: '1.0' });
    expect(client.written.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      result: { text: 'Done' },
      usage: [
        {
          provider: 'lab',
          model: 'one',
          inputTokens: 6,
          outputTokens: 4,
          cachedInputTokens: 2,
        },
      ],
    });
    expect(warn).not.toHaveBeenCalled();
  });

  it('drops what a lost attempt said, and keeps the rest', async () => {
    const lost = [
      begin(2),
      say(2, 'Thin', { type: 'reasoning' }),
      say(2, 'Lost te', { part: 1 }),
      ...call(2, ['{"am']).slice(0, 2),
    ];
    const told = [begin(2), say(2, 'Kept'), stepEnd(2), end()];
    const first = [begin(1), say(1, 'First', { type: 'reasoning' }), ...call(1, []), stepEnd(1)];
    const live = await shownAfter({ events: [...first, result(1, 'ok'), ...lost, ...told] });
    expect(live).toEqual(await shownAfter({ events: [...first, result(1, 'ok'), ...told] }));
    expect(JSON.stringify(live)).not.toContain('Lost');
  });

  it('empties the reasoning of a lost attempt if there is no other', async () => {
    const events = [begin(1), say(1, 'Lost', { type: 'reasoning' }), begin(1)];
    const again = [say(1, 'Kept', { type: 'reasoning' }), say(1, 'So', { part: 1 }), stepEnd(1)];
    expect(await shownAfter({ events: [...events, ...again, end()] })).toMatchObject([
      { role: 'reasoning', content: 'Kept' },
      { role: 'assistant', content: 'So' },
    ]);
  });

  it('does not tell that a lost call is complete', async () => {
    const client = new Client();
    const ended: string[] = [];
    client.agent.subscribe({
      onToolCallEndEvent: ({ event }) => void ended.push(event.toolCallId),
    });
    const lost = call(1, ['{"amount":1}'], { index: 1 }).slice(0, 2);
    await client.run({ events: [begin(1), ...lost, begin(1), ...call(1, []), stepEnd(1), end()] });
    expect(ended).toEqual(['turn-1/1/call-0']);
  });

  it('drops a step that never ended', async () => {
    for (const status of ['completed', 'cancelled'] as const)
      expect(await shownAfter({ events: [begin(1), say(1, 'Half'), end({ status })] })).toEqual([]);
  });

  it('corrects a call that is not what streamed', async () => {
    const events = [
      begin(1),
      ...call(1, ['{"amount":1}'], { name: 'refund', args: { amount: 2 } }),
      ...call(1, ['{"amo'], { index: 1, args: null }),
      stepEnd(1),
      own({ type: 'call-edited', turn: 1, index: 0, callId: 'call_0', args: { amount: 3 } }),
      result(1, 'no', { index: 1, isError: true }),
      end(),
    ];
    expect(await shownAfter({ events })).toMatchObject([
      {
        calls: [
          ['refund', { amount: 3 }],
          ['pay', '{"amount'],
        ],
      },
      { role: 'tool', content: 'no', metadata: { isError: true } },
    ]);
  });

  it('replaces a result that the log replaces', async () => {
    const first = [begin(1), ...call(1, []), stepEnd(1), result(1, 'paid')];
    const json = [{ type: 'json', value: { id: 7 } }];
    const shown = await shownAfter({ events: [...first, result(1, json), end()] });
    expect(shown).toMatchObject([{}, { role: 'tool', content: '{"id":7}' }]);
    expect(shown).toHaveLength(2);
  });

  it('has media of results as parts', async () => {
    const image = { mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } };
    const hidden = { mediaType: 'text/csv', source: { kind: 'ref', ref: 'r' } };
    const events = [
      begin(1),
      ...call(1, []),
      stepEnd(1),
      result(1, [
        { type: 'media', ...image },
        { type: 'media', ...hidden },
      ]),
      end(),
    ];
    expect((await shownAfter({ events })).at(-1)).toMatchObject({
      content: [
        { type: 'image', source: { type: 'data', value: 'AA==', mimeType: 'image/png' } },
        { type: 'text', text: '(text/csv)' },
      ],
    });
  });

  it.each([
    [{ status: 'cancelled' }, { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
    [
      { status: 'failed', error: { code: 'ProviderError', message: 'it broke' } },
      { type: 'RUN_ERROR', code: 'ProviderError', message: 'it broke' },
    ],
  ])('ends as the turn ends: %j', async (over, last) => {
    const client = new Client();
    await client.run({ events: [begin(1, below), end(over)] }).catch(() => undefined);
    expect(client.types).toContain('SUBAGENT_ERROR');
    expect(client.written.at(-1)).toMatchObject(last);
  });

  it('tells that nobody works, and what a person said meanwhile', async () => {
    const client = new Client();
    const message = { role: 'user', parts: [{ type: 'text', text: 'Faster' }] };
    await client.run({
      events: [
        own({ type: 'stalled', reason: 'worker' }),
        own({ type: 'user', message, messageId: 'm1' }),
        own({ type: 'user', message, messageId: 'm2' }),
        end(),
      ],
    });
    expect(client.written).toContainEqual({
      type: 'CUSTOM',
      name: 'longhaul.stalled',
      value: { reason: 'worker' },
    });
    expect(client.written.filter(({ messageId }) => messageId === 'm2')).toHaveLength(1);
    expect(client.agent.messages).toEqual([
      { id: 'm1', role: 'user', content: 'Pay!' },
      { id: 'm2', role: 'user', content: 'Faster' },
    ]);
  });
});
