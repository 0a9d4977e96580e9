// Pure: no server.
import type { Message, ToolResult } from '../../../../src/protocol/message';
import { toMessages } from '../../../../src/providers/anthropic/to-messages';
import { user } from '../../core/builders';
import { assistant, elsewhere, result, seal } from './wire-builders';

const call = {
  type: 'tool_call',
  callId: 'toolu_1',
  name: 'look',
  args: { city: 'Paris' },
} as const;

function tool(...parts: Partial<ToolResult>[]): Message {
  const base = { type: 'tool_result', callId: 'toolu_1', name: 'look', isError: false } as const;
  return { role: 'tool', parts: parts.map((part) => ({ ...base, content: [], ...part })) };
}

describe('toMessages', () => {
  it('answers all calls of a turn in one user message, results first, then text', () => {
    const second = { ...call, callId: 'toolu_2' };
    const messages = [
      user('Paris and Oslo'),
      assistant(call, second),
      tool(
        { content: [{ type: 'text', text: 'sunny' }] },
        {
          callId: 'toolu_2',
          isError: true,
          content: [
            { type: 'text', text: 'no such city' },
            { type: 'json', value: { near: ['Olso'] } },
          ],
        },
      ),
      user('Go on.'),
    ];

    expect(toMessages(messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Paris and Oslo' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'toolu_2', name: 'look', input: { city: 'Paris' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'sunny' }],
          },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: 'no such city' },
              { type: 'text', text: '{"near":["Olso"]}' },
            ],
            is_error: true,
          },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ]);
  });

  it.each([
    { name: 'nothing', part: {}, wire: {} },
    {
      name: 'an error without a word',
      part: { isError: true },
      wire: { content: [{ type: 'text', text: 'failed' }], is_error: true },
    },
    {
      name: 'blank text',
      part: { content: [{ type: 'text' as const, text: ' \n' }] },
      wire: {},
    },
    {
      name: 'an image',
      part: {
        content: [
          {
            type: 'media' as const,
            mediaType: 'image/png',
            source: { kind: 'base64' as const, data: 'iVBO' },
          },
        ],
      },
      wire: {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
        ],
      },
    },
  ])('gives $name as a result', ({ part, wire }) => {
    expect(toMessages([assistant(call), tool(part)])[1]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_1', ...wire },
    ]);
  });

  it.each([
    [
      'image/jpeg',
      { kind: 'base64', data: '/9j/' },
      'image',
      { type: 'base64', media_type: 'image/jpeg', data: '/9j/' },
    ],
    [
      'image/png',
      { kind: 'url', url: 'https://x.test/a.png' },
      'image',
      { type: 'url', url: 'https://x.test/a.png' },
    ],
    ['image/webp', { kind: 'ref', ref: 'file_1' }, 'image', { type: 'file', file_id: 'file_1' }],
    [
      'application/pdf',
      { kind: 'base64', data: 'JVBE' },
      'document',
      { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
    ],
    [
      'application/pdf',
      { kind: 'url', url: 'https://x.test/a.pdf' },
      'document',
      { type: 'url', url: 'https://x.test/a.pdf' },
    ],
    [
      'application/pdf',
      { kind: 'ref', ref: 'file_2' },
      'document',
      { type: 'file', file_id: 'file_2' },
    ],
  ] as const)('sends %s of %j as a block', (mediaType, source, type, wire) => {
    const message: Message = { role: 'user', parts: [{ type: 'media', mediaType, source }] };

    expect(toMessages([message])).toEqual([{ role: 'user', content: [{ type, source: wire }] }]);
  });

  it('refuses media the API does not take', () => {
    const source = { kind: 'base64', data: 'SUQz' } as const;
    const message: Message = {
      role: 'user',
      parts: [{ type: 'media', mediaType: 'audio/mpeg', source }],
    };

    expect(() => toMessages([message])).toThrow(
      expect.objectContaining({
        kind: 'rejected',
        retryable: false,
        message: expect.stringContaining('does not take audio/mpeg') as string,
      }) as Error,
    );
  });

  it('projects the turns of another API to words and calls', () => {
    const sealed = { api: elsewhere.api, model: elsewhere.model, data: { id: 'rs_1' } };
    const messages: Message[] = [
      {
        role: 'assistant',
        origin: elsewhere,
        parts: [
          { type: 'reasoning', text: 'Hm.', sealed },
          { type: 'text', text: 'I look.', sealed },
          { type: 'refusal', text: 'Not that.' },
          { type: 'opaque', label: 'compaction', sealed },
          { ...call, callId: 'call|1', sealed },
        ],
      },
      tool({ callId: 'call|1', content: [{ type: 'text', text: 'sunny' }] }),
    ];

    expect(toMessages(messages)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'text', text: 'Not that.' },
          { type: 'tool_use', id: 'call_1', name: 'look', input: { city: 'Paris' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'sunny' }],
          },
        ],
      },
    ]);
  });

  it('projects a turn without an origin, even where its parts are sealed for this API', () => {
    const parts = [{ type: 'reasoning' as const, text: 'Hm.', sealed: seal({ signature: 'x' }) }];

    expect(toMessages([{ role: 'assistant', parts }])).toEqual([]);
  });

  it('gives calls of other APIs ids that were not there before', () => {
    const foreign: Message = {
      role: 'assistant',
      origin: elsewhere,
      parts: [
        { ...call, callId: 'a' },
        { ...call, callId: 'a' },
      ],
    };
    const answers = tool({ callId: 'a' }, { callId: 'a' });

    const ids = toMessages([foreign, answers, foreign, answers]).map(({ content }) =>
      content.map((block) =>
        'tool_use_id' in block ? block.tool_use_id : 'id' in block && block.id,
      ),
    );

    expect(ids).toEqual([
      ['a', 'a_2'],
      ['a', 'a_2'],
      ['a_3', 'a_4'],
      ['a_3', 'a_4'],
    ]);
  });

  it('leaves out blank text, unproven thinking and messages that say nothing', () => {
    const messages = [
      user('One'),
      assistant(
        { type: 'text', text: '\n\n' },
        { type: 'reasoning', text: 'unsigned' },
        { type: 'reasoning', text: '', redacted: true },
        { type: 'refusal', text: 'No.' },
      ),
      user(''),
      user('Two'),
    ];

    expect(toMessages(messages)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ],
      },
    ]);
  });

  it('sends a call under the name and arguments it has now', () => {
    const repaired = {
      ...call,
      name: 'search',
      args: { q: 'x' },
      sealed: seal({ caller: { type: 'direct' } }),
    };

    expect(toMessages([assistant(repaired), result('toolu_1', 'ok')])[0]).toEqual({
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'search',
          input: { q: 'x' },
          caller: { type: 'direct' },
        },
      ],
    });
  });
});
