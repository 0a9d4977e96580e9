// Pure: no server.
import type { Message, ToolResult } from '../../../../src/protocol/message';
import { toContents } from '../../../../src/providers/google/to-contents';
import { user } from '../../core/builders';
import { assistant, elsewhere, origin } from './wire-builders';

const call = { type: 'tool_call', callId: 'fc-1', name: 'look', args: { city: 'Paris' } } as const;

function tool(...parts: Partial<ToolResult>[]): Message {
  const base = { type: 'tool_result', callId: 'fc-1', name: 'look', isError: false } as const;
  return { role: 'tool', parts: parts.map((part) => ({ ...base, content: [], ...part })) };
}

function responsesOf(messages: readonly Message[]): unknown[] {
  const contents = toContents(messages, 'gemini-3-pro');
  return contents.flatMap(({ parts }) =>
    (parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []),
  );
}

describe('toContents', () => {
  it('answers the calls of a turn in order, with the ids the model gave and no others', () => {
    const messages = [
      user('Paris and Oslo'),
      assistant({ ...call, callId: 'gemini-call-0' }, call),
      tool({ callId: 'gemini-call-0' }, {}),
    ];

    expect(toContents(messages, 'gemini-3-pro')).toEqual([
      { role: 'user', parts: [{ text: 'Paris and Oslo' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'look', args: { city: 'Paris' } } },
          { functionCall: { id: 'fc-1', name: 'look', args: { city: 'Paris' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { output: '' } } },
          { functionResponse: { id: 'fc-1', name: 'look', response: { output: '' } } },
        ],
      },
    ]);
  });

  it.each<[string, Partial<ToolResult>, object]>([
    ['text', { content: [{ type: 'text', text: 'sunny' }] }, { response: { output: 'sunny' } }],
    [
      'a value',
      { content: [{ type: 'json', value: { degrees: 24 } }] },
      { response: { output: { degrees: 24 } } },
    ],
    ['a list', { content: [{ type: 'json', value: [1] }] }, { response: { output: [1] } }],
    [
      'several',
      {
        content: [
          { type: 'text', text: 'sunny' },
          { type: 'json', value: 24 },
        ],
      },
      { response: { output: 'sunny\n24' } },
    ],
    [
      'an error',
      { isError: true, content: [{ type: 'text', text: 'no such city' }] },
      { response: { error: 'no such city' } },
    ],
    [
      'an image',
      {
        content: [
          { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBO' } },
        ],
      },
      {
        response: { output: '' },
        parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }],
      },
    ],
  ])('wraps %s in an object', (_name, result, wire) => {
    expect(responsesOf([assistant(call), tool(result)])).toEqual([
      { id: 'fc-1', name: 'look', ...wire },
    ]);
  });

  it.each([
    [
      { kind: 'base64', data: 'JVBE' },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    ],
    [
      { kind: 'url', url: 'gs://b/a.pdf' },
      { fileData: { mimeType: 'application/pdf', fileUri: 'gs://b/a.pdf' } },
    ],
    [
      { kind: 'ref', ref: 'https://g.test/files/1' },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://g.test/files/1' } },
    ],
  ] as const)('sends media of %j', (source, wire) => {
    const parts = [{ type: 'media', mediaType: 'application/pdf', source } as const];

    expect(toContents([{ role: 'user', parts }], 'gemini-3-pro')).toEqual([
      { role: 'user', parts: [wire] },
    ]);
  });

  const foreign: Message = {
    role: 'assistant',
    origin: elsewhere,
    parts: [
      {
        type: 'reasoning',
        text: 'Hm.',
        sealed: { api: elsewhere.api, model: elsewhere.model, data: { signature: 'EqQB' } },
      },
      { type: 'text', text: 'I look.' },
      { type: 'refusal', text: 'Not that.' },
      { ...call, callId: 'toolu_1' },
      { ...call, callId: 'toolu_2', args: null, rawArgs: '{"a', argsError: 'not valid JSON' },
    ],
  };

  it('projects the turns of another API to words and calls, which it must not ask to be signed', () => {
    const messages = [foreign, tool({ callId: 'toolu_1' }, { callId: 'toolu_2', isError: true })];

    expect(toContents(messages, 'gemini-3-pro')).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'I look.' },
          { text: 'Not that.' },
          {
            functionCall: { name: 'look', args: { city: 'Paris' } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { name: 'look', args: { INVALID_JSON: '{"a' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { output: '' } } },
          { functionResponse: { name: 'look', response: { error: '' } } },
        ],
      },
    ]);
  });

  it.each([
    'gemini-2.5-flash',
    'models/gemini-1.5-pro',
    'publishers/google/models/gemini-2.0-flash',
  ])('signs nothing for %s', (model) => {
    expect(JSON.stringify(toContents([foreign], model))).not.toContain('thoughtSignature');
  });

  it('signs the calls of an older model for one that checks', () => {
    const older = { role: 'assistant' as const, origin: { ...origin, model: 'gemini-2.5-pro' } };
    const contents = toContents([{ ...older, parts: [call, call] }], 'gemini-3-pro');

    expect(contents[0]?.parts?.map((part) => part.thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
  });

  it('leaves out what says nothing', () => {
    const messages = [
      user(''),
      assistant({ type: 'text', text: '' }, { type: 'refusal', text: 'Blocked.' }),
      user('Hello'),
    ];

    expect(toContents(messages, 'gemini-3-pro')).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
    ]);
  });
});
