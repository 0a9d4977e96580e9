// Pure: no server.
import { checkedResponse, providerFailure } from '../../../../src/activities/model/model-attempt';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { ModelResponse } from '../../../../src/providers/provider';
import { call, malformed, noUsage, text } from '../../core/builders';

const target = { provider: 'mine', model: 'one' };
const good = {
  content: [text('Sunny.'), call('a'), malformed('b')],
  usage: noUsage,
  finishReason: 'stop',
  origin: { ...target, api: 'mine' },
};
const check = (response: unknown): ModelResponse =>
  checkedResponse(target, response as ModelResponse);

describe('the response of a provider', () => {
  it('passes as it is', () => {
    expect(check(good)).toBe(good);
  });

  it.each([
    { name: 'nothing', response: undefined, problem: 'it is not an object' },
    { name: 'a text', response: 'Sunny.', problem: 'it is not an object' },
    { name: 'no content', response: {}, problem: 'content is not a list of parts' },
    {
      name: 'a part that is none',
      response: { ...good, content: [text('a'), null] },
      problem: 'content[1] is not a part of a message',
    },
    {
      name: 'arguments that are no object',
      response: { ...good, content: [{ ...call('a'), args: [1] }] },
      problem: 'content[0] is not a part of a message',
    },
    {
      name: 'no usage',
      response: { ...good, usage: undefined },
      problem: 'usage is missing',
    },
    {
      name: 'what is not JSON',
      response: { ...good, usage: { ...noUsage, inputTokens: 1n } },
      problem: 'usage.inputTokens: a value of type bigint is not JSON',
    },
  ])('is a bad response when it is $name', ({ response, problem }) => {
    let thrown: unknown;
    try {
      check(response);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      kind: 'bad_response',
      message: `mine/one: the provider's response cannot be used: ${problem}`,
    });
  });

  it.each([
    { name: 'an unknown error', error: new TypeError('x is no function'), kind: 'bad_response' },
    { name: 'a text', error: 'gone', kind: 'bad_response' },
    {
      name: 'a lost connection',
      error: new TypeError('fetch failed', {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      }),
      kind: 'unavailable',
    },
  ])('is a provider error when the provider throws $name', ({ error, kind }) => {
    expect(providerFailure(target, error)).toMatchObject({ code: 'ProviderError', kind });
  });

  it('leaves the errors of Longhaul alone', () => {
    const error = new LonghaulError('ToolError', 'no');
    expect(providerFailure(target, error)).toBe(error);
  });
});
