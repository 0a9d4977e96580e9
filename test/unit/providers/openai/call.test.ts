// Pure: no server.
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { LonghaulError } from '../../../../src/protocol/errors';
import { fromOpenAiError } from '../../../../src/providers/openai/call';
import { target } from './openai-fixtures';

function answered(status: number, body: object | undefined, message?: string): APIError {
  return APIError.generate(status, body, message, new Headers({ 'retry-after': '3' }));
}

describe('fromOpenAiError', () => {
  it.each([
    [
      'an error answer',
      answered(429, {
        error: { message: 'Slow down.', code: 'rate_limit_exceeded', type: 'requests' },
      }),
      {
        kind: 'rate_limited',
        status: 429,
        retryAfterMs: 3000,
        message: 'openai/gpt-5-mini: HTTP 429: Slow down.',
      },
    ],
    [
      'an exhausted quota',
      answered(429, { error: { message: 'No credit.', code: 'insufficient_quota' } }),
      { kind: 'quota', retryable: false },
    ],
    [
      'a numeric code',
      answered(400, { error: { message: 'exceeds the available context size', code: 400 } }),
      { kind: 'context_length' },
    ],
    [
      'details of a validation, which echo the request, left out',
      answered(422, { detail: [{ msg: 'bad', input: { messages: ['private'] } }] }),
      { kind: 'rejected', message: 'openai/gpt-5-mini: HTTP 422' },
    ],
    [
      'a plain text',
      answered(503, undefined, 'no healthy upstream'),
      { message: 'openai/gpt-5-mini: HTTP 503: no healthy upstream' },
    ],
    [
      'a page',
      answered(502, undefined, '<html>Bad gateway</html>'),
      { kind: 'unavailable', message: 'openai/gpt-5-mini: HTTP 502' },
    ],
    ['no body', answered(500, undefined, undefined), { message: 'openai/gpt-5-mini: HTTP 500' }],
    [
      'an error in the stream',
      new APIError(undefined, { code: 'server_error', message: 'Oops.' }, undefined, undefined),
      { kind: 'unavailable', message: 'openai/gpt-5-mini: Oops.' },
    ],
    [
      'an error of the model behind a gateway',
      new APIError(undefined, { code: 429, message: 'Busy.' }, undefined, undefined),
      { kind: 'rate_limited', status: 429 },
    ],
    [
      'a connection error',
      new APIConnectionError({ cause: new TypeError('fetch failed') }),
      {
        kind: 'unavailable',
        message: 'openai/gpt-5-mini: no response: Connection error.: fetch failed',
      },
    ],
    ['a timeout', new APIConnectionTimeoutError(), { kind: 'unavailable' }],
    ['an abort that nobody asked for', new APIUserAbortError(), { kind: 'bad_response' }],
    ['a cut socket', new TypeError('terminated'), { kind: 'unavailable' }],
    ['malformed JSON', new SyntaxError('Unexpected end of JSON input'), { kind: 'bad_response' }],
    ['no error at all', undefined, { kind: 'bad_response' }],
  ])('classifies %s', (_name, error, expected) => {
    const classified = fromOpenAiError(error, target);

    expect(LonghaulError.is(classified)).toBe(true);
    expect(classified).toMatchObject(expected);
  });

  it('passes on what is classified already', () => {
    const error = new LonghaulError('SpecError', 'no such api');

    expect(fromOpenAiError(error, target)).toBe(error);
  });
});
