// Pure: no server.
import type { ModelDelta } from '../../../../../src/providers/provider';
import {
  ChatStream,
  type FinishedChat,
  fromChatMessage,
} from '../../../../../src/providers/openai/chat/chat-stream';
import type { JsonObject } from '../../../../../src/base/json';
import type { AssistantPart } from '../../../../../src/protocol/message';
import { chatFinishReason, fromOpenAiUsage } from '../../../../../src/providers/openai/call';
import { noUsage } from '../../../core/builders';
import { toChatMessages } from '../../../../../src/providers/openai/chat/to-chat-request';
import { chatOrigin as origin, streamedChat } from '../openai-fixtures';

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
      { kind: 'tool-call', index: 0, complete: true },
      { kind: 'tool-call', index: 1, complete: true },
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

const sealed = (data: JsonObject): object => ({
  sealed: { api: 'openai-chat', model: 'gpt-5-mini', data },
});

function partsOf(name: string): AssistantPart[] {
  return fromChatMessage(streamedChat(name).finished.message, origin, 0);
}

function echo(parts: readonly AssistantPart[], ownHost = false): unknown {
  return toChatMessages([{ role: 'assistant', origin, parts }], ownHost)[0];
}

function callPart(args: string): AssistantPart[] {
  const call = { id: 'c1', name: 'get_weather', arguments: args, fields: {} };
  return fromChatMessage({ content: '', refusal: '', toolCalls: [call], fields: {} }, origin, 0);
}

describe('fromChatMessage', () => {
  it('keeps the reasoning of compatible servers and sends it back in its field', () => {
    const { finished, deltas } = streamedChat('chat-reasoning-content');
    const parts = partsOf('chat-reasoning-content');

    expect(parts).toEqual([
      {
        type: 'reasoning',
        text: 'The user asks for weather.',
        ...sealed({ field: 'reasoning_content' }),
      },
      { type: 'text', text: 'Sunny.' },
    ]);
    expect(echo(parts)).toEqual({
      role: 'assistant',
      content: 'Sunny.',
      reasoning_content: 'The user asks for weather.',
    });
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'The user asks ' },
      { kind: 'reasoning', text: 'for weather.' },
      { kind: 'text', text: 'Sunny' },
      { kind: 'text', text: '.' },
    ]);
    expect(fromOpenAiUsage(finished.usage)).toEqual({
      inputTokens: 20,
      outputTokens: 12,
      totalTokens: 32,
      cacheReadTokens: 16,
      cacheWriteTokens: null,
      reasoningTokens: 8,
    });
  });

  it('keeps what a server adds to a call, and calls that share an index apart', () => {
    const { finished, deltas } = streamedChat('chat-calls-with-signatures');
    const parts = partsOf('chat-calls-with-signatures');

    expect(parts).toEqual([
      {
        type: 'tool_call',
        callId: 'call_x',
        name: 'get_weather',
        args: { city: 'Paris' },
        ...sealed({ extra_content: { google: { thought_signature: 'c2lnbmVk' } } }),
      },
      { type: 'tool_call', callId: 'call_y', name: 'get_time', args: { city: 'Oslo' } },
    ]);
    expect(deltas).toEqual([
      {
        kind: 'tool-call',
        index: 0,
        callId: 'call_x',
        name: 'get_weather',
        args: '{"city":"Paris"}',
      },
      { kind: 'tool-call', index: 0, complete: true },
      { kind: 'tool-call', index: 1, callId: 'call_y', name: 'get_time', args: '{"city":"Oslo"}' },
      { kind: 'tool-call', index: 1, complete: true },
    ]);
    expect(chatFinishReason(finished.finishReason, parts)).toBe('tool_calls');
    expect(echo(parts)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_x',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          extra_content: { google: { thought_signature: 'c2lnbmVk' } },
        },
        {
          id: 'call_y',
          type: 'function',
          function: { name: 'get_time', arguments: '{"city":"Oslo"}' },
        },
      ],
    });
  });

  it('keeps fields it does not know, in the order they came', () => {
    const parts = partsOf('chat-reasoning-details');
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };

    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Thinking.' },
      { type: 'opaque', label: 'message fields' },
      { type: 'text', text: 'Done.' },
    ]);
    expect(echo(parts)).toEqual({
      role: 'assistant',
      content: 'Done.',
      reasoning: 'Thinking.',
      reasoning_details: [
        { ...detail, text: 'Think' },
        { ...detail, text: 'ing.' },
        { ...detail, signature: 'c2ln' },
      ],
    });
  });

  it('numbers calls without an id', () => {
    const call = { id: '', name: 'get_weather', arguments: '', fields: {} };
    const message = { content: '', refusal: '', toolCalls: [call, call], fields: {} };

    expect(fromChatMessage(message, origin, 2)).toEqual([
      { type: 'tool_call', callId: 'call_2', name: 'get_weather', args: {} },
      { type: 'tool_call', callId: 'call_3', name: 'get_weather', args: {} },
    ]);
  });

  it.each(['{"city":"Paris"}', '{"city": "Paris", "days": [1, 2]}', '{ "n":1.0 }', '{}'])(
    'gives the arguments %s back as they came',
    (args) => {
      expect(echo(callPart(args))).toMatchObject({
        tool_calls: [{ function: { arguments: args } }],
      });
    },
  );

  it('sends malformed arguments back as they came to OpenAI, as JSON to servers that parse them', () => {
    const parts = callPart('{"city":"Par');

    expect(parts).toMatchObject([{ args: null, rawArgs: '{"city":"Par' }]);
    expect(echo(parts, true)).toMatchObject({
      tool_calls: [{ function: { arguments: '{"city":"Par' } }],
    });
    expect(echo(parts, false)).toMatchObject({
      tool_calls: [{ function: { arguments: '{"invalid_arguments":"{\\"city\\":\\"Par"}' } }],
    });
  });

  it('keeps a refusal', () => {
    const message = { content: '', refusal: 'No.', toolCalls: [], fields: {} };
    const parts = fromChatMessage(message, origin, 0);

    expect(parts).toEqual([{ type: 'refusal', text: 'No.' }]);
    expect(chatFinishReason('stop', parts)).toBe('refusal');
    expect(echo(parts)).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
  });
});

describe('chatFinishReason', () => {
  it.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'other'],
    ['mystery', 'other'],
  ])('reads %s of a text as %s', (reason, expected) => {
    expect(chatFinishReason(reason, [{ type: 'text', text: 'a' }])).toBe(expected);
  });

  it.each(['stop', 'tool_calls', 'function_call', 'FUNCTION_CALL'])(
    'finds calls in the content, whatever the reason: %s',
    (reason) => {
      expect(chatFinishReason(reason, callPart('{}'))).toBe('tool_calls');
    },
  );

  it('says that a turn with calls was cut', () => {
    expect(chatFinishReason('length', callPart('{"a'))).toBe('length');
  });
});

describe('fromOpenAiUsage', () => {
  it.each([
    ['nothing', undefined, noUsage],
    ['null', null, noUsage],
    ['no numbers', { prompt_tokens: 'many' }, noUsage],
    [
      'no total',
      { prompt_tokens: 1, completion_tokens: 2 },
      { ...noUsage, inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    ],
    [
      'null details',
      { input_tokens: 1, input_tokens_details: null, total_tokens: 1 },
      { ...noUsage, inputTokens: 1, totalTokens: 1 },
    ],
  ])('reads %s', (_name, usage, expected) => {
    expect(fromOpenAiUsage(usage)).toEqual(expected);
  });
});
