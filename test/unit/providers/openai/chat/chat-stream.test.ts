// Pure: no server.
import type { ModelDelta } from '../../../../../src/providers/provider';
import {
  ChatStream,
  type FinishedChat,
} from '../../../../../src/providers/openai/chat/chat-stream';

function streamed(...choices: object[]): {
  finished: FinishedChat | undefined;
  deltas: ModelDelta[];
} {
  const deltas: ModelDelta[] = [];
  const stream = new ChatStream((delta) => void deltas.push(delta));
  for (const choice of choices) stream.accept({ id: 'chatcmpl-1', choices: [choice] } as never);
  return { finished: stream.finished, deltas };
}

function calls(...pieces: object[]): object {
  return { delta: { tool_calls: pieces } };
}

const end = { delta: {}, finish_reason: 'tool_calls' };

describe('ChatStream', () => {
  it('adds up the pieces of interleaved calls', () => {
    const { finished, deltas } = streamed(
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
      calls({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{"b"' } }),
      calls(
        { index: 0, function: { arguments: '{"a":1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ),
      end,
    );

    expect(finished?.message.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: '{"a":1}', fields: {} },
      { id: 'b', name: 'two', arguments: '{"b":2}', fields: {} },
    ]);
    expect(deltas).toEqual([
      { kind: 'tool-call', index: 0, callId: 'a', name: 'one' },
      { kind: 'tool-call', index: 1, callId: 'b', name: 'two', args: '{"b"' },
      { kind: 'tool-call', index: 0, args: '{"a":1}' },
      { kind: 'tool-call', index: 1, args: ':2}' },
    ]);
  });

  it.each([
    [
      'no index',
      [
        { id: 'a', function: { name: 'one', arguments: '{' } },
        { function: { arguments: '}' } },
        { id: 'b', function: { name: 'two', arguments: '{}' } },
      ],
    ],
    [
      'one index for all',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{' } },
        { index: 0, id: 'a', function: { arguments: '}' } },
        { index: 0, id: 'b', function: { name: 'two', arguments: '{}' } },
      ],
    ],
    [
      'arguments that are no text',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: {} } },
        { index: 1, id: 'b', function: { name: 'two', arguments: null } },
      ],
    ],
  ])('takes calls with %s', (name, pieces) => {
    const { finished } = streamed(...pieces.map((piece) => calls(piece)), end);

    const second = name === 'arguments that are no text' ? '' : '{}';
    expect(finished?.message.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: '{}', fields: {} },
      { id: 'b', name: 'two', arguments: second, fields: {} },
    ]);
  });

  it('tells whole calls apart that come without index and id', () => {
    const { finished } = streamed(
      calls(
        { function: { name: 'one', arguments: '{"a":1}' } },
        { function: { name: 'one', arguments: '{"b"' } },
        { function: { name: 'one', arguments: ':2}' } },
        { function: { name: 'two', arguments: {} } },
      ),
      end,
    );

    expect(finished?.message.toolCalls).toEqual([
      { id: '', name: 'one', arguments: '{"a":1}', fields: {} },
      { id: '', name: 'one', arguments: '{"b":2}', fields: {} },
      { id: '', name: 'two', arguments: '{}', fields: {} },
    ]);
  });

  it('takes text that comes as a list of parts', () => {
    const { finished, deltas } = streamed(
      { delta: { content: [{ type: 'text', text: 'Hel' }, { type: 'reference', ids: [1] }, 7] } },
      { delta: { content: [{ type: 'text', text: 'lo' }] }, finish_reason: 'stop' },
    );

    expect(finished?.message.content).toBe('Hello');
    expect(deltas).toEqual([
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
    ]);
  });

  it('ignores fields without content', () => {
    const { finished } = streamed(
      {
        delta: { content: 'Hi', refusal: null, function_call: null, audio: null, annotations: [] },
      },
      { delta: {}, finish_reason: 'stop' },
    );

    expect(finished).toEqual({
      message: { content: 'Hi', refusal: '', toolCalls: [], fields: {} },
      finishReason: 'stop',
      usage: undefined,
      id: 'chatcmpl-1',
    });
  });

  it('shows reasoning once when it comes under two names', () => {
    const { deltas } = streamed({ delta: { reasoning: 'Hm.', reasoning_content: 'Hm.' } });

    expect(deltas).toHaveLength(1);
  });

  it('is not finished without a finish reason', () => {
    expect(streamed({ delta: { content: 'Hi' }, finish_reason: null }).finished).toBeUndefined();
  });

  it.each([null, 7, {}, { choices: null }, { choices: [null] }, { choices: [{ delta: 7 }] }])(
    'passes over %j',
    (chunk) => {
      const stream = new ChatStream(() => undefined);

      expect(() => stream.accept(chunk as never)).not.toThrow();
    },
  );
});
