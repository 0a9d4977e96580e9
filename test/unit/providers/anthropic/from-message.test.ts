// Pure: no server.
import type { MessageBlock } from '../../../../src/providers/anthropic/blocks';
import { fromMessage, fromMessagesContent } from '../../../../src/providers/anthropic/from-message';
import type { StreamedMessage } from '../../../../src/providers/anthropic/message-accumulator';
import { origin, seal } from './wire-builders';
import type { AssistantPart } from '../../../../src/protocol/message';
import { toMessages } from '../../../../src/providers/anthropic/to-messages';

const text: MessageBlock = { type: 'text', text: 'It is' };
const call: MessageBlock = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };

function aMessage(overrides: Partial<StreamedMessage> = {}): StreamedMessage {
  return {
    id: 'msg_1',
    content: [text],
    stopReason: 'end_turn',
    explanation: undefined,
    usage: {},
    ...overrides,
  };
}

describe('fromMessage', () => {
  it.each([
    { stopReason: 'end_turn', content: [text], finishReason: 'stop' },
    { stopReason: 'stop_sequence', content: [text], finishReason: 'stop' },
    { stopReason: 'tool_use', content: [text, call], finishReason: 'tool_calls' },
    { stopReason: 'end_turn', content: [call], finishReason: 'tool_calls' },
    { stopReason: 'max_tokens', content: [text], finishReason: 'length' },
    { stopReason: 'max_tokens', content: [text, call], finishReason: 'length' },
    { stopReason: 'model_context_window_exceeded', content: [text], finishReason: 'length' },
    { stopReason: 'refusal', content: [call], finishReason: 'refusal' },
    { stopReason: 'pause_turn', content: [text], finishReason: 'pause' },
    { stopReason: 'something_new', content: [text], finishReason: 'other' },
    { stopReason: null, content: [text], finishReason: 'other' },
  ])('ends with $finishReason for $stopReason', ({ stopReason, content, finishReason }) => {
    expect(fromMessage(aMessage({ stopReason, content }), origin, null).finishReason).toBe(
      finishReason,
    );
  });

  it.each([
    ['This asks for malware.', 'This asks for malware.'],
    [undefined, 'no reason was given'],
  ])('says why the model refused: %s', (explanation, said) => {
    const message = aMessage({ stopReason: 'refusal', content: [], explanation });

    expect(fromMessage(message, origin, null).content).toEqual([{ type: 'refusal', text: said }]);
  });

  it('fails when the conversation leaves no room for an answer', () => {
    const message = aMessage({ stopReason: 'model_context_window_exceeded', content: [] });

    expect(() => fromMessage(message, origin, null)).toThrow(
      expect.objectContaining({ kind: 'context_length', retryable: false }) as Error,
    );
  });

  it('leaves out ids it was not given', () => {
    expect(fromMessage(aMessage({ id: undefined }), origin, null)).toEqual({
      content: [{ type: 'text', text: 'It is' }],
      usage: {
        inputTokens: null,
        outputTokens: null,
        totalTokens: null,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
      },
      finishReason: 'stop',
      origin,
    });
  });
});

type Case = { name: string; block: MessageBlock; part: AssistantPart };

const cases: Case[] = [
  {
    name: 'text',
    block: { type: 'text', text: 'Sunny.' },
    part: { type: 'text', text: 'Sunny.' },
  },
  {
    name: 'cited text',
    block: {
      type: 'text',
      text: 'Sunny.',
      citations: [{ type: 'char_location', cited_text: 'x' }],
    },
    part: {
      type: 'text',
      text: 'Sunny.',
      sealed: seal({ citations: [{ type: 'char_location', cited_text: 'x' }] }),
    },
  },
  {
    name: 'thinking with its signature',
    block: { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
    part: { type: 'reasoning', text: 'Hm.', sealed: seal({ signature: 'EqQB' }) },
  },
  {
    name: 'thinking that is not shown',
    block: { type: 'thinking', thinking: '', signature: 'EqQB' },
    part: { type: 'reasoning', text: '', sealed: seal({ signature: 'EqQB' }) },
  },
  {
    name: 'redacted thinking',
    block: { type: 'redacted_thinking', data: 'EmwK' },
    part: { type: 'reasoning', text: '', redacted: true, sealed: seal({ data: 'EmwK' }) },
  },
  {
    name: 'a call',
    block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Paris' } },
    part: { type: 'tool_call', callId: 'toolu_1', name: 'look', args: { city: 'Paris' } },
  },
  {
    name: 'a call that says who called',
    block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, caller: { type: 'direct' } },
    part: {
      type: 'tool_call',
      callId: 'toolu_1',
      name: 'look',
      args: {},
      sealed: seal({ caller: { type: 'direct' } }),
    },
  },
  {
    name: 'a block of an unknown kind',
    block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    part: {
      type: 'opaque',
      label: 'server_tool_use',
      sealed: seal({
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'x' },
      }),
    },
  },
];

describe('fromMessagesContent', () => {
  it.each(cases)('reads $name', ({ block, part }) => {
    expect(fromMessagesContent([block], origin)).toEqual([part]);
  });

  it.each(cases)('gives $name back as it came', ({ block, part }) => {
    const messages = [{ role: 'assistant' as const, parts: [part], origin }];

    expect(toMessages(messages)).toEqual([{ role: 'assistant', content: [block] }]);
  });

  it('keeps the order of blocks and does not merge them', () => {
    const blocks = cases.map(({ block }) => block);

    expect(fromMessagesContent(blocks, origin)).toEqual(cases.map(({ part }) => part));
  });

  it('takes null for absent and leaves out empty text', () => {
    const blocks = [
      { type: 'text', text: '' },
      { type: 'text', text: 'Hi', citations: null },
    ];

    expect(fromMessagesContent(blocks, origin)).toEqual([{ type: 'text', text: 'Hi' }]);
  });

  it.each([
    ['text that is not JSON', '{"city": "Par', '{"city": "Par', /^not valid JSON/],
    ['an array', ['Paris'], '["Paris"]', /an array/],
  ])('keeps %s in place of arguments', (_name, input, rawArgs, argsError) => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'look', input };

    const parts = fromMessagesContent([block], origin);

    expect(parts).toEqual([
      {
        type: 'tool_call',
        callId: 'toolu_1',
        name: 'look',
        args: null,
        rawArgs,
        argsError: expect.stringMatching(argsError) as string,
      },
    ]);
    expect(toMessages([{ role: 'assistant', parts, origin }])[0]?.content).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { INVALID_JSON: rawArgs } },
    ]);
  });
});
