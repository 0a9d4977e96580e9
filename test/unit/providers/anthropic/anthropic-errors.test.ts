// Pure: no server.
import { APIConnectionError, APIError, AnthropicError } from '@anthropic-ai/sdk';
import { ProviderError } from '../../../../src/protocol/errors';
import { fromAnthropicError } from '../../../../src/providers/anthropic/anthropic-errors';

const target = { provider: 'anthropic', model: 'claude-opus-5', secrets: ['sk-ant-secret'] };

function statusError(
  status: number,
  error: object,
  headers: Record<string, string> = {},
): APIError {
  return APIError.generate(status, { type: 'error', error }, undefined, new Headers(headers));
}

function streamError(error: { type: string; message: string }): APIError {
  return new APIError(
    undefined,
    { type: 'error', error },
    undefined,
    new Headers(),
    error.type as never,
  );
}

describe('fromAnthropicError', () => {
  it.each([
    {
      name: 'overload',
      error: statusError(529, { type: 'overloaded_error', message: 'Overloaded' }),
      expected: { kind: 'unavailable', retryable: true, status: 529 },
    },
    {
      name: 'a rate limit',
      error: statusError(
        429,
        { type: 'rate_limit_error', message: 'Slow down' },
        { 'retry-after': '12' },
      ),
      expected: { kind: 'rate_limited', retryable: true, retryAfterMs: 12_000 },
    },
    {
      name: 'the spend limit of a contract',
      error: statusError(429, {
        type: 'rate_limit_error',
        message: 'Limit reached',
        details: { error_code: 'contract_spend_limit_reached' },
      }),
      expected: { kind: 'quota', retryable: false, status: 429 },
    },
    {
      name: 'the spend limit of a tier',
      error: statusError(429, {
        type: 'rate_limit_error',
        message: 'Limit reached',
        details: { error_code: 'enforced_spend_limit_reached' },
      }),
      expected: { kind: 'quota', retryable: false },
    },
    {
      name: 'a ramp limit',
      error: statusError(429, {
        type: 'rate_limit_error',
        message: 'Too fast',
        details: { error_code: 'ramp_limit_exceeded' },
      }),
      expected: { kind: 'rate_limited', retryable: true },
    },
    {
      name: 'credit that ran out',
      error: statusError(400, {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      }),
      expected: { kind: 'quota', retryable: false },
    },
    {
      name: 'a prompt beyond the context window',
      error: statusError(400, {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      }),
      expected: { kind: 'context_length', retryable: false, status: 400 },
    },
    {
      name: 'a wrong key',
      error: statusError(401, { type: 'authentication_error', message: 'invalid x-api-key' }),
      expected: { kind: 'auth', retryable: false },
    },
    {
      name: 'overload in mid-stream',
      error: streamError({ type: 'overloaded_error', message: 'Overloaded' }),
      expected: { kind: 'unavailable', retryable: true },
    },
    {
      name: 'a refused request in mid-stream',
      error: streamError({ type: 'invalid_request_error', message: 'bad' }),
      expected: { kind: 'rejected', retryable: false },
    },
    {
      name: 'a lost connection',
      error: new APIConnectionError({ message: 'Connection error.' }),
      expected: { kind: 'unavailable', retryable: true },
    },
    {
      name: 'an event that is not JSON',
      error: new SyntaxError('Unexpected end of JSON input'),
      expected: { kind: 'bad_response', retryable: true },
    },
    {
      name: 'missing credentials',
      error: new AnthropicError('Could not resolve authentication method.'),
      expected: { kind: 'auth', retryable: false },
    },
  ])('classifies $name', ({ error, expected }) => {
    const found = fromAnthropicError(error, target);

    expect(ProviderError.is(found)).toBe(true);
    expect(found).toMatchObject(expected);
  });

  it('passes its own errors on and names no secret', () => {
    const own = new ProviderError('rejected', 'too large');
    const error = statusError(401, { type: 'x', message: 'no such key: sk-ant-secret' });

    expect(fromAnthropicError(own, target)).toBe(own);
    expect(fromAnthropicError(error, target).message).toBe(
      'anthropic/claude-opus-5: HTTP 401: no such key: [redacted]',
    );
  });
});
