// Pure: no server.
import { fromResponse } from '../../../../src/providers/google/from-response';
import { toContents } from '../../../../src/providers/google/to-contents';
import lateSignature from '../../../fixtures/google/late-signature.json';
import signedParallelCalls from '../../../fixtures/google/signed-parallel-calls.json';
import { accumulated, origin, seal, target } from './wire-builders';

const context = { target, firstCall: 2 };

describe('ResponseAccumulator', () => {
  it('puts thoughts and signed parallel calls together', () => {
    const { accumulator } = accumulated(signedParallelCalls, 2);

    expect(fromResponse(accumulator.response(), context)).toEqual({
      content: [
        { type: 'reasoning', text: '**Planning the calls**\n\nTwo cities, two calls.' },
        {
          type: 'tool_call',
          callId: 'gemini-call-2',
          name: 'get_weather',
          args: { city: 'Paris' },
          sealed: seal({ thoughtSignature: 'CiQB0e2Kb1Fy+first/signature==' }),
        },
        { type: 'tool_call', callId: 'fc-8d1', name: 'get_weather', args: { city: 'Oslo' } },
      ],
      usage: {
        inputTokens: 900,
        outputTokens: 170,
        totalTokens: 1070,
        cacheReadTokens: 768,
        cacheWriteTokens: null,
        reasoningTokens: 129,
      },
      finishReason: 'tool_calls',
      origin,
      ids: { response: 'dGhpcyBpcyBhbiBpZA' },
    });
  });

  it('shows calls under the ids they are kept by', () => {
    expect(accumulated(signedParallelCalls, 2).deltas).toEqual([
      { kind: 'reasoning', text: '**Planning the calls**\n\n' },
      { kind: 'reasoning', text: 'Two cities, two calls.' },
      {
        kind: 'tool-call',
        index: 0,
        callId: 'gemini-call-2',
        name: 'get_weather',
        args: '{"city":"Paris"}',
        complete: true,
      },
      {
        kind: 'tool-call',
        index: 1,
        callId: 'fc-8d1',
        name: 'get_weather',
        args: '{"city":"Oslo"}',
        complete: true,
      },
    ]);
  });

  it('joins plain text only, and gives every signature back with its own part', () => {
    const { accumulator } = accumulated(lateSignature);
    const response = fromResponse(accumulator.response(), context);

    expect(response.usage).toEqual({
      inputTokens: 25,
      outputTokens: 15,
      totalTokens: 40,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: 9,
    });
    expect(
      toContents([{ role: 'assistant', parts: response.content, origin }], 'gemini-3-pro'),
    ).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'It is sunny' },
          { text: '.', thoughtSignature: 'CpcBmid/signature==' },
          { text: ' Enjoy!' },
          { text: '', thoughtSignature: 'CpcBlate/signature==' },
        ],
      },
    ]);
  });

  it('does not join a thought with what is said', () => {
    const { accumulator } = accumulated([
      { candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }, { text: 'Hi' }] } }] },
      { candidates: [{ content: { parts: [{ text: '!' }] }, finishReason: 'STOP' }] },
    ]);

    expect(accumulator.response().parts).toEqual([{ text: 'Hm.', thought: true }, { text: 'Hi!' }]);
  });

  it('is complete with a finish reason and not before', () => {
    expect(accumulated(signedParallelCalls.slice(0, -1)).accumulator.isComplete).toBe(false);
    expect(accumulated(signedParallelCalls).accumulator.isComplete).toBe(true);
  });

  it.each([
    ['The prompt is unsafe.', 'The prompt is unsafe.'],
    [undefined, 'The prompt was blocked: PROHIBITED_CONTENT.'],
  ])('says why a prompt was blocked: %s', (blockReasonMessage, text) => {
    const promptFeedback = { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage };
    const { accumulator } = accumulated([
      { promptFeedback, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 } },
    ]);

    expect(accumulator.isComplete).toBe(true);
    expect(fromResponse(accumulator.response(), context)).toEqual({
      content: [{ type: 'refusal', text }],
      finishReason: 'content_filter',
      usage: {
        inputTokens: 9,
        outputTokens: null,
        totalTokens: 9,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
      },
      origin,
    });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['TOO_MANY_TOOL_CALLS', 'other'],
    ['NO_IMAGE', 'other'],
    ['SOMETHING_NEW', 'other'],
  ])('ends a turn of text with %s as %s', (finishReason, expected) => {
    const { accumulator } = accumulated([
      { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason }] },
    ]);

    expect(fromResponse(accumulator.response(), context).finishReason).toBe(expected);
  });

  it.each([
    ['STOP', 'tool_calls'],
    ['FUNCTION_CALL', 'tool_calls'],
    ['MAX_TOKENS', 'length'],
  ])('ends a turn of calls with %s as %s', (finishReason, expected) => {
    const parts = [{ functionCall: { name: 'look', args: {} } }];
    const { accumulator } = accumulated([{ candidates: [{ content: { parts }, finishReason }] }]);

    expect(fromResponse(accumulator.response(), context).finishReason).toBe(expected);
  });

  it.each([
    ['MALFORMED_FUNCTION_CALL', /ended its turn with MALFORMED_FUNCTION_CALL/],
    ['UNEXPECTED_TOOL_CALL', /UNEXPECTED_TOOL_CALL/],
    ['MALFORMED_RESPONSE', /MALFORMED_RESPONSE/],
    [undefined, /without a finish reason/],
  ])('asks for another attempt after %s', (finishReason, message) => {
    const { accumulator } = accumulated([{ candidates: [{ finishReason }] }]);

    expect(() => fromResponse(accumulator.response(), context)).toThrow(
      expect.objectContaining({
        kind: 'bad_response',
        retryable: true,
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });
});
