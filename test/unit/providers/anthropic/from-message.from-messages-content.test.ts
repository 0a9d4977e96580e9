// Pure: no server.
import type { AssistantPart } from '../../../../src/protocol/message';
import type { MessageBlock } from '../../../../src/providers/anthropic/blocks';
import { fromMessagesContent } from '../../../../src/providers/anthropic/from-message';
import { toMessages } from '../../../../src/providers/anthropic/to-messages';
import { origin, seal } from './wire-builders';

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
