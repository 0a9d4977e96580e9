// Pure: no server.
import type { MessageBlock } from '../../../../src/providers/anthropic/blocks';
import { fromMessage } from '../../../../src/providers/anthropic/from-message';
import type { StreamedMessage } from '../../../../src/providers/anthropic/message-accumulator';
import { origin } from './wire-builders';

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
