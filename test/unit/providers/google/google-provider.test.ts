// Pure: no server.
import { ApiError } from '@google/genai';
import { ProviderError } from '../../../../src/protocol/errors';
import { fromGoogleError } from '../../../../src/providers/google/google-provider';
import rateLimit from '../../../fixtures/google/rate-limit.json';

const target = { provider: 'google', model: 'gemini-3-pro', secrets: ['AIza-secret'] };

function apiError(status: number, body: unknown, before = ''): ApiError {
  return new ApiError({ status, message: before + JSON.stringify(body) });
}

const daily = {
  error: {
    code: 429,
    message: 'You exceeded your current quota.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
      { retryDelay: '12s' },
    ],
  },
};

describe('fromGoogleError', () => {
  it.each([
    {
      name: 'a rate limit with a delay in its details',
      error: apiError(429, rateLimit),
      expected: { kind: 'rate_limited', retryable: true, status: 429, retryAfterMs: 34_075 },
    },
    {
      name: 'what is used up for the day',
      error: apiError(429, daily),
      expected: { kind: 'quota', retryable: false, status: 429 },
    },
    {
      name: 'overload',
      error: apiError(503, { error: { message: 'Overloaded', status: 'UNAVAILABLE' } }),
      expected: { kind: 'unavailable', retryable: true, status: 503 },
    },
    {
      name: 'a wrong key',
      error: apiError(400, {
        error: {
          message: 'API key not valid.',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      }),
      expected: { kind: 'auth', retryable: false, status: 400 },
    },
    {
      name: 'a refused request',
      error: apiError(400, { error: { message: 'Bad field', status: 'INVALID_ARGUMENT' } }),
      expected: { kind: 'rejected', retryable: false },
    },
    {
      name: 'a conversation beyond the context window',
      error: apiError(400, {
        error: {
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed.',
        },
      }),
      expected: { kind: 'context_length', retryable: false },
    },
    {
      name: 'an error in mid-stream',
      error: apiError(500, { error: { message: 'Internal' } }, 'got status: INTERNAL. '),
      expected: { kind: 'unavailable', message: 'google/gemini-3-pro: HTTP 500: Internal' },
    },
    {
      name: 'a body that a proxy wrapped in a list',
      error: apiError(403, [{ error: { message: 'No access' } }]),
      expected: { kind: 'auth', message: 'google/gemini-3-pro: HTTP 403: No access' },
    },
    {
      name: 'a body that is no JSON',
      error: new ApiError({ status: 502, message: '<html>' }),
      expected: { kind: 'unavailable', message: 'google/gemini-3-pro: HTTP 502: <html>' },
    },
    {
      name: 'missing default credentials',
      error: new Error('Could not load the default credentials. Browse to …'),
      expected: { kind: 'auth', retryable: false },
    },
    {
      name: 'a lost connection',
      error: new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }),
      expected: { kind: 'unavailable', retryable: true },
    },
    {
      name: 'a timeout, which is an abort to the SDK',
      error: new DOMException('This operation was aborted', 'AbortError'),
      expected: { kind: 'unavailable', retryable: true },
    },
    {
      name: 'a chunk that cannot be read, without quoting it',
      error: new Error('exception parsing stream chunk {"private": …'),
      expected: {
        kind: 'bad_response',
        retryable: true,
        message: 'google/gemini-3-pro: the response cannot be read',
      },
    },
  ])('classifies $name', ({ error, expected }) => {
    const found = fromGoogleError(error, target, undefined);

    expect(ProviderError.is(found)).toBe(true);
    expect(found).toMatchObject(expected);
  });

  it('obeys the header before the body', () => {
    const headers = new Headers({ 'retry-after': '5' });

    expect(fromGoogleError(apiError(429, rateLimit), target, headers)).toMatchObject({
      retryAfterMs: 5000,
    });
  });

  it('passes its own errors on and names no secret', () => {
    const own = new ProviderError('rejected', 'too large');
    const error = apiError(403, { error: { message: 'no such key: AIza-secret' } });

    expect(fromGoogleError(own, target, undefined)).toBe(own);
    expect(fromGoogleError(error, target, undefined).message).toBe(
      'google/gemini-3-pro: HTTP 403: no such key: [redacted]',
    );
  });
});
