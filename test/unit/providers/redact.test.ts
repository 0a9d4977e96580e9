// Pure: no server.
import { redact } from '../../../src/providers/redact';

describe('redact', () => {
  it.each([
    [
      'Incorrect API key provided: sk-proj-abc_DEF***xyz.',
      'Incorrect API key provided: [redacted]',
    ],
    ['sk-ant-api03-AbCdEf0123456789 is invalid', '[redacted] is invalid'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic [redacted]"}'],
    ['x-api-key: abcdef', 'x-api-key: [redacted]'],
    ['{"x-goog-api-key":"abcdef"}', '{"x-goog-api-key":"[redacted]"}'],
    ['POST https://host/v1?key=abc&alt=sse', 'POST https://host/v1?key=[redacted]&alt=sse'],
    ['key AIzaSyA-1234567890abcdef', 'key [redacted]'],
    ['token ya29.a0AfH6SMB-x', 'token [redacted]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig', '[redacted]'],
    ['https://user:secret@host/v1', 'https://[redacted]@host/v1'],
    ['gsk_0123456789abcdef', '[redacted]'],
  ])('takes the secret out of %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'The task-runner of a desk-top risk-free skill.',
    'Rate limit reached for gpt-5-mini: 3 RPM.',
    'Unknown parameter: response_format.',
  ])('leaves plain text alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('takes out given secrets, but none so short that it would hit words', () => {
    expect(redact('my-key and a', ['my-key', 'a'])).toBe('[redacted] and a');
  });
});
