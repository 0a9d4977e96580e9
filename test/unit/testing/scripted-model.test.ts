// Pure: no server.
import { LonghaulError, ProviderError } from '../../../src/protocol/errors';
import type { CallOptions, ModelDelta, ModelRequest } from '../../../src/providers/provider';
import { StreamCut } from '../../../src/providers/attempt';
import { scriptedModel, type ScriptedStep } from '../../../src/testing/scripted-model';

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const origin = { provider: 'scripted', api: 'scripted', model: 'small' };

function aRequest(...texts: string[]): ModelRequest {
  return {
    model: 'small',
    messages: texts.map((text) => ({ role: 'user', parts: [{ type: 'text', text }] })),
    tools: [],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run',
  };
}

function options(overrides: Partial<CallOptions> = {}): CallOptions {
  return {
    signal: new AbortController().signal,
    onDelta: () => undefined,
    onActivity: () => undefined,
    ...overrides,
  };
}

function callPart(callId: string, name: string, args: object): object {
  return { type: 'tool_call', callId, name, args };
}

describe('scriptedModel', () => {
  it.each<{ name: string; step: ScriptedStep; expected: object }>([
    {
      name: 'a string as text',
      step: 'hello',
      expected: { content: [{ type: 'text', text: 'hello' }], usage, finishReason: 'stop', origin },
    },
    {
      name: 'tool calls with ids of their own',
      step: { toolCalls: [{ name: 'a' }, { name: 'b', args: { x: 1 }, callId: 'mine' }] },
      expected: {
        content: [callPart('call_1_0', 'a', {}), callPart('mine', 'b', { x: 1 })],
        usage,
        finishReason: 'tool_calls',
        origin,
      },
    },
    {
      name: 'text before its calls',
      step: { text: 'let me look', toolCalls: [{ name: 'a' }] },
      expected: {
        content: [{ type: 'text', text: 'let me look' }, callPart('call_1_0', 'a', {})],
        usage,
        finishReason: 'tool_calls',
        origin,
      },
    },
    {
      name: 'arguments that are no JSON as a malformed call',
      step: { toolCalls: [{ name: 'a', args: '[1]' }] },
      expected: {
        content: [
          {
            type: 'tool_call',
            callId: 'call_1_0',
            name: 'a',
            args: null,
            rawArgs: '[1]',
            argsError: 'must be a JSON object, not an array',
          },
        ],
        usage,
        finishReason: 'tool_calls',
        origin,
      },
    },
    {
      name: 'raw content, usage and finish reason',
      step: {
        content: [{ type: 'refusal', text: 'no' }],
        usage: { inputTokens: 7 },
        finishReason: 'refusal',
      },
      expected: {
        content: [{ type: 'refusal', text: 'no' }],
        usage: { ...usage, inputTokens: 7 },
        finishReason: 'refusal',
        origin,
      },
    },
    {
      name: 'what a function makes of the request',
      step: async (request) => ({ text: `${request.messages.length} messages` }),
      expected: {
        content: [{ type: 'text', text: '1 messages' }],
        usage,
        finishReason: 'stop',
        origin,
      },
    },
  ])('answers with $name', async ({ step, expected }) => {
    expect(await scriptedModel([step]).call(aRequest('hi'), options())).toEqual(expected);
  });

  it('streams text and calls in order and reports activity for every delta', async () => {
    const deltas: ModelDelta[] = [];
    let activity = 0;
    const model = scriptedModel([
      {
        text: 'a long enough text',
        toolCalls: [{ name: 'get', args: { city: 'Paris' } }, { name: 'b' }],
      },
    ]);
    await model.call(
      aRequest('hi'),
      options({ onDelta: (delta) => deltas.push(delta), onActivity: () => (activity += 1) }),
    );
    expect(deltas).toEqual([
      { kind: 'text', text: 'a long enoug' },
      { kind: 'text', text: 'h text' },
      { kind: 'tool-call', index: 0, callId: 'call_1_0', name: 'get' },
      { kind: 'tool-call', index: 0, args: '{"city":"Par' },
      { kind: 'tool-call', index: 0, args: 'is"}' },
      { kind: 'tool-call', index: 0, complete: true },
      { kind: 'tool-call', index: 1, callId: 'call_1_1', name: 'b' },
      { kind: 'tool-call', index: 1, args: '{}' },
      { kind: 'tool-call', index: 1, complete: true },
    ]);
    expect(activity).toBe(deltas.length);
  });

  it('ends at the call where its stream is cut, and keeps its usage', async () => {
    const controller = new AbortController();
    const model = scriptedModel([
      {
        text: 'Hm.',
        toolCalls: [{ name: 'search', args: { query: 'tea' } }, { name: 'later' }],
        usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      },
    ]);
    const onDelta = ({ kind }: ModelDelta): void => {
      if (kind === 'tool-call') controller.abort(new StreamCut('doomed'));
    };
    const response = await model.call(
      aRequest('hi'),
      options({ signal: controller.signal, onDelta }),
    );

    expect(response).toMatchObject({
      content: [{ type: 'text', text: 'Hm.' }, callPart('call_1_0', 'search', { query: 'tea' })],
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    });
  });

  it('rethrows what a delta listener throws', async () => {
    const refuse = (): never => {
      throw new Error('enough');
    };
    const call = scriptedModel(['text']).call(aRequest('hi'), options({ onDelta: refuse }));
    await expect(call).rejects.toThrow('enough');
  });

  it('fails with the error of its step and goes on with the next step', async () => {
    const error = new ProviderError('rate_limited', 'slow down', { retryAfterMs: 10 });
    const model = scriptedModel([{ error }, 'done']);
    await expect(model.call(aRequest('hi'), options())).rejects.toBe(error);
    const { content } = await model.call(aRequest('hi'), options());
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('rejects with the reason of the signal when aborted in a delay', async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'late', delayMs: 60_000 }]);
    const call = model.call(aRequest('hi'), options({ signal: controller.signal }));
    controller.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
  });

  it('takes no step when it is aborted before the call', async () => {
    const model = scriptedModel(['text']);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(model.call(aRequest('hi'), options({ signal }))).rejects.toThrow('too late');
    expect(model.requests).toEqual([]);
    expect(() => model.assertConsumed()).toThrow('step 1 of 1');
  });

  it('records requests as frozen copies', async () => {
    const model = scriptedModel(['one']);
    const request = aRequest('hi');
    await model.call(request, options());
    expect(model.requests).toEqual([request]);
    expect(model.requests[0]).not.toBe(request);
    expect(Object.isFrozen(model.requests[0]?.messages[0]?.parts[0])).toBe(true);
  });

  it('fails for good when the script is exhausted, saying which step and what was asked', async () => {
    const model = scriptedModel(['one']);
    await model.call(aRequest('hi'), options());
    const error: unknown = await model
      .call(aRequest('hi', 'and now?'), options())
      .catch((e: unknown) => e);
    expect(
      LonghaulError.is(error) && { message: error.message, retryable: error.retryable },
    ).toEqual({
      message:
        'scriptedModel: step 2 was asked for, the script has 1. Last message of the request: user "and now?"',
      retryable: false,
    });
  });

  it.each<{ name: string; next: ScriptedStep; shown: string }>([
    { name: 'a text', next: 'two', shown: '"two"' },
    { name: 'an error', next: { error: new Error('down') }, shown: 'error "down"' },
    { name: 'a function', next: () => 'x', shown: 'a function' },
  ])('names the first unconsumed step: $name', async ({ next, shown }) => {
    const model = scriptedModel(['one', next, 'three']);
    await model.call(aRequest('hi'), options());
    expect(() => model.assertConsumed()).toThrow(
      `scriptedModel: step 2 of 3 was never asked for: ${shown}`,
    );
  });

  it('is content when every step was taken', async () => {
    const model = scriptedModel(['one']);
    await model.call(aRequest('hi'), options());
    expect(() => model.assertConsumed()).not.toThrow();
  });

  it('answers by the request alone where a function takes the place of the steps', async () => {
    const answer = ({ messages }: ModelRequest): ScriptedStep =>
      messages.length === 1 ? { toolCalls: [{ name: 'a' }] } : 'done';
    for (const model of [scriptedModel(answer), scriptedModel(answer)]) {
      const first = await model.call(aRequest('hi'), options());
      expect(first.content).toEqual([callPart('call_1_0', 'a', {})]);
      const last = await model.call(aRequest('hi', 'result'), options());
      expect(last.content).toEqual([{ type: 'text', text: 'done' }]);
      expect(model.requests).toHaveLength(2);
      expect(() => model.assertConsumed()).not.toThrow();
    }
  });

  describe('per conversation', () => {
    it('gives each first user message the whole script', async () => {
      const model = scriptedModel(['one', 'two'], { per: 'conversation' });
      const texts: unknown[] = [];
      for (const request of [
        aRequest('a'),
        aRequest('b'),
        aRequest('b', 'x'),
        aRequest('a', 'y'),
      ]) {
        texts.push((await model.call(request, options())).content[0]);
      }
      expect(texts).toEqual(['one', 'one', 'two', 'two'].map((text) => ({ type: 'text', text })));
      expect(() => model.assertConsumed()).not.toThrow();
    });

    it('names the conversation that did not finish', async () => {
      const model = scriptedModel(['one', 'two'], { per: (request) => request.model });
      await model.call(aRequest('a'), options());
      expect(() => model.assertConsumed()).toThrow(
        'scriptedModel: step 2 of 2 was never asked for in conversation "small": "two"',
      );
    });
  });
});
