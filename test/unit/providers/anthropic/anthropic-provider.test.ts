// Pure: no server.
import {
  anthropicCredentials,
  fromAnthropicError,
} from '../../../../src/providers/anthropic/anthropic-provider';
import { APIConnectionError, APIError, AnthropicError } from '@anthropic-ai/sdk';
import { ProviderError } from '../../../../src/protocol/errors';

describe('anthropicCredentials', () => {
  it.each([
    { name: 'anthropic', config: {}, env: {}, missing: /Set ANTHROPIC_API_KEY in/ },
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_API_KEY: ' ' },
      missing: /ANTHROPIC_API_KEY/,
    },
    { name: 'mine', config: {}, env: {}, missing: /Set MINE_API_KEY or ANTHROPIC_API_KEY in/ },
  ])('names what is missing for $name with $env', ({ name, config, env, missing }) => {
    const found = anthropicCredentials(name, config, env);

    expect(found.missing).toMatch(missing);
    expect(found.apiKey).toBeUndefined();
  });

  it.each([
    { name: 'anthropic', config: { apiKey: 'k1' }, env: {}, apiKey: 'k1', secrets: ['k1'] },
    // The SDK reads these itself.
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_API_KEY: 'k2' },
      apiKey: undefined,
      secrets: ['k2'],
    },
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_PROFILE: 'p' },
      apiKey: undefined,
      secrets: [],
    },
    {
      name: 'anthropic',
      config: { headers: { 'X-Api-Key': 'k3' } },
      env: {},
      apiKey: undefined,
      secrets: ['k3'],
    },
    { name: 'mine', config: {}, env: { MINE_API_KEY: 'k4' }, apiKey: 'k4', secrets: ['k4'] },
    {
      name: 'local',
      config: { baseURL: 'http://127.0.0.1:1' },
      env: {},
      apiKey: 'none',
      secrets: [],
    },
    {
      name: 'local',
      config: { baseURL: 'http://127.0.0.1:1' },
      env: { ANTHROPIC_API_KEY: 'k5' },
      apiKey: 'none',
      secrets: ['k5'],
    },
  ])('finds what $name needs in $config and $env', ({ name, config, env, apiKey, secrets }) => {
    expect(anthropicCredentials(name, config, env)).toEqual({
      apiKey,
      secrets,
      missing: undefined,
    });
  });
});

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
