// Pure: no server.
import { ProviderError } from '../../../src/protocol/errors';
import { missingKey } from '../../../src/providers/api-keys';
import {
  type ErrorBody,
  badResponse,
  durationMs,
  headerOf,
  isNetworkError,
  providerErrorFromBody,
  providerErrorFromNetwork,
  providerErrorFromStatus,
  retryAfterMs,
} from '../../../src/providers/errors';

const target = { provider: 'openai', model: 'gpt-5-mini' };

describe('providerErrorFromStatus', () => {
  const cases: readonly (readonly [number, ErrorBody, string, boolean])[] = [
    [400, { code: 'invalid_value' }, 'rejected', false],
    [400, { code: 'context_length_exceeded' }, 'context_length', false],
    [
      400,
      { message: "This model's maximum context length is 8192 tokens." },
      'context_length',
      false,
    ],
    [
      400,
      { message: 'Your input exceeds the context window of this model.' },
      'context_length',
      false,
    ],
    [
      400,
      { message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      'context_length',
      false,
    ],
    [
      400,
      { message: 'input length and `max_tokens` exceed context limit: 1 + 2 > 2' },
      'context_length',
      false,
    ],
    [
      400,
      { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' },
      'context_length',
      false,
    ],
    [400, { message: 'the request exceeds the available context size' }, 'context_length', false],
    [400, { message: 'Your credit balance is too low to access the API.' }, 'quota', false],
    [401, { code: 'invalid_api_key' }, 'auth', false],
    [402, {}, 'quota', false],
    [403, {}, 'auth', false],
    [404, { code: 'model_not_found' }, 'rejected', false],
    [408, {}, 'unavailable', true],
    [409, {}, 'unavailable', true],
    [413, { type: 'request_too_large' }, 'rejected', false],
    [422, {}, 'rejected', false],
    [429, {}, 'rate_limited', true],
    [429, { code: 'insufficient_quota' }, 'quota', false],
    [429, { type: 'insufficient_quota' }, 'quota', false],
    [429, { code: 'contract_spend_limit_reached' }, 'quota', false],
    [429, { code: 'enforced_spend_limit_reached' }, 'quota', false],
    [429, { code: 'RESOURCE_EXHAUSTED' }, 'rate_limited', true],
    [500, {}, 'unavailable', true],
    [502, {}, 'unavailable', true],
    [503, {}, 'unavailable', true],
    [504, {}, 'unavailable', true],
    [529, { type: 'overloaded_error' }, 'unavailable', true],
    [301, {}, 'bad_response', true],
  ];

  it.each(cases)('classifies %i %j as %s', (status, body, kind, retryable) => {
    const error = providerErrorFromStatus({ ...target, ...body, status });

    expect(ProviderError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'ProviderError', kind, retryable, status });
    expect(error.details).toEqual({ kind, status, provider: 'openai' });
  });

  it('names provider, model and status with the words of the provider', () => {
    const error = providerErrorFromStatus({ ...target, status: 404, message: 'No such model.' });

    expect(error.message).toBe('openai/gpt-5-mini: HTTP 404: No such model.');
  });

  it.each([
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after': '20' }, 20_000],
    [{}, undefined],
  ])('takes the wait from the headers %j', (headers, expected) => {
    const error = providerErrorFromStatus({ ...target, status: 429, headers });

    expect(error.retryAfterMs).toBe(expected);
  });

  it('takes the wait from the body when the headers do not say', () => {
    const failure = { ...target, status: 429, retryAfterMs: 41_000 };

    expect(providerErrorFromStatus(failure).retryAfterMs).toBe(41_000);
    expect(
      providerErrorFromStatus({ ...failure, headers: { 'retry-after': '3' } }).retryAfterMs,
    ).toBe(3000);
  });

  it.each([
    [500, 'false', {}, false],
    [400, 'true', {}, true],
    [429, 'true', { code: 'insufficient_quota' }, false],
  ])('honours x-should-retry: %i %s %j', (status, verdict, body, retryable) => {
    const headers = new Headers({ 'x-should-retry': verdict });

    expect(providerErrorFromStatus({ ...target, ...body, status, headers })).toMatchObject({
      retryable,
    });
  });

  it('clips the message to 1 KiB without splitting a character', () => {
    const error = providerErrorFromStatus({ ...target, status: 400, message: '🌍'.repeat(1000) });

    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(1024);
    expect(error.message).toMatch(/🌍…$/u);
  });

  it('removes the key in use, whatever it looks like', () => {
    const error = providerErrorFromStatus({
      ...target,
      secrets: ['house-key-1'],
      status: 401,
      message: 'house-key-1 is not a key',
    });

    expect(error.message).toBe('openai/gpt-5-mini: HTTP 401: [redacted] is not a key');
  });
});

describe('providerErrorFromBody', () => {
  it.each([
    [{ code: 'server_error', message: 'Oops.' }, 'unavailable'],
    [{ code: 'rate_limit_exceeded' }, 'rate_limited'],
    [{ type: 'overloaded_error' }, 'unavailable'],
    [{ type: 'rate_limit_error' }, 'rate_limited'],
    [{ code: 'invalid_prompt' }, 'rejected'],
    [{ code: 'invalid_image_format' }, 'rejected'],
    [{ code: 'image_too_large' }, 'rejected'],
    [{ type: 'invalid_request_error', message: 'prompt is too long: 2 tokens' }, 'context_length'],
    [{ code: 'insufficient_quota' }, 'quota'],
    [{ type: 'authentication_error' }, 'auth'],
    [{ code: 'something_new' }, 'unavailable'],
    [{}, 'unavailable'],
  ])('classifies %j as %s', (body, kind) => {
    expect(providerErrorFromBody(target, body)).toMatchObject({ kind });
  });
});

describe('providerErrorFromNetwork', () => {
  it('says what the nested causes say', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
      code: 'ECONNREFUSED',
    });
    const error = providerErrorFromNetwork(
      target,
      new TypeError('fetch failed', { cause: refused }),
    );

    expect(error).toMatchObject({ kind: 'unavailable', retryable: true });
    expect(error.message).toBe(
      'openai/gpt-5-mini: no response: fetch failed: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('ends on a cause that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;

    expect(providerErrorFromNetwork(target, error).message).toMatch(/loop$/);
  });

  it.each([
    [new TypeError('fetch failed'), true],
    [new TypeError('terminated'), true],
    [new DOMException('This operation was aborted', 'AbortError'), true],
    [Object.assign(new Error('read'), { code: 'ECONNRESET' }), true],
    [Object.assign(new Error('slow'), { code: 'UND_ERR_HEADERS_TIMEOUT' }), true],
    [new Error('wrapped', { cause: Object.assign(new Error(), { code: 'EPIPE' }) }), true],
    [new TypeError("Cannot read properties of undefined (reading 'x')"), false],
    [new SyntaxError('Unexpected token'), false],
    ['text', false],
  ])('tells network errors from others: %s', (error, expected) => {
    expect(isNetworkError(error)).toBe(expected);
  });
});

describe('other provider errors', () => {
  it('makes a bad response worth another attempt', () => {
    expect(badResponse(target, 'no final event')).toMatchObject({
      kind: 'bad_response',
      retryable: true,
      message: 'openai/gpt-5-mini: no final event',
    });
  });

  it('names the variables of a missing key', () => {
    expect(missingKey('google', ['GEMINI_API_KEY', 'GOOGLE_API_KEY'])).toMatchObject({
      kind: 'auth',
      retryable: false,
      message:
        "google: no API key. Set GEMINI_API_KEY or GOOGLE_API_KEY in the worker's environment, or apiKey in its providers option.",
    });
  });
});

const now = Date.parse('2026-11-21T12:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    ['milliseconds', { 'retry-after-ms': '750' }, 750],
    ['milliseconds over seconds', { 'retry-after-ms': '750', 'retry-after': '9' }, 750],
    ['seconds', { 'retry-after': '9' }, 9000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 250],
    ['zero', { 'retry-after': '0' }, 250],
    ['a negative number', { 'retry-after': '-5' }, 250],
    ['a day', { 'retry-after': '86400' }, 600_000],
    ['rubbish', { 'retry-after': 'soon' }, undefined],
    ['an empty value', { 'retry-after': '' }, undefined],
    ['rubbish milliseconds beside seconds', { 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    ['nothing', {}, undefined],
    ['the reset of a limit', { 'x-ratelimit-reset-requests': '1m2.5s' }, 62_500],
    [
      'the reset of the limit that is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6s',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '8m0s',
      },
      6000,
    ],
  ])('reads %s', (_name, headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
  });

  it('answers for no headers', () => {
    expect(retryAfterMs(undefined)).toBeUndefined();
  });
});

describe('headerOf', () => {
  it('finds a plain record entry whatever its case', () => {
    expect(headerOf({ 'Retry-After': '1' }, 'retry-after')).toBe('1');
  });
});

describe('durationMs', () => {
  it.each([
    ['6m0s', 360_000],
    ['1.5s', 1500],
    ['20ms', 20],
    ['1h1m', 3_660_000],
    ['12', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });
});
