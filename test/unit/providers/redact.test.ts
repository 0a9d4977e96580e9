// Pure: no server.
import { redact } from '../../../src/providers/redact';
import { withinTime } from '../../../src/define/arguments/within-time';

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

  const secret = 'S3cr3t0123456789abcdef';
  it.each([
    [`sk_live_${secret}`],
    [`rk_live_${secret}`],
    [`pk_test_${secret}`],
    [`ghp_${secret}`],
    [`gho_${secret}`],
    [`github_pat_11AA_${secret}`],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    ['ASIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE'],
    [`xoxb-123-${secret}`],
    [`xoxp-123-${secret}`],
    [`password=${secret}`],
    [`password: "two words ${secret}"`],
    [`PGPASSWORD='${secret}'`],
    [`{"password":"with \\"quotes\\" ${secret}"}`],
    [`"token":"${secret}"`],
    [`{\\"token\\":\\"${secret}\\"}`],
    [`{'access_token': '${secret}'}`],
    [`client_secret=${secret}&grant_type=x`],
    [`clientSecret: ${secret}`],
    [`AWS_SECRET_ACCESS_KEY=${secret}`],
    [`AccountKey=${secret}==;EndpointSuffix=x`],
    [`Cookie: a=1; session=${secret}; b=2`],
    [`Set-Cookie: session=${secret}; HttpOnly`],
    [`{"cookie":"a=1; session=${secret}"}`],
    [`Authorization: Digest username="u", response="${secret}"`, 'Digest u'],
    [`authorization: ${secret}`],
    [`Authorization: Token ${secret}`],
    [`https://x.blob.core.windows.net/c?sv=2024&sig=${secret}%3D&se=1`],
    [`https://s3.example/o?X-Amz-Credential=a&X-Amz-Signature=${secret}`],
    [`-----BEGIN RSA PRIVATE KEY-----\nMIIE${secret}\n-----END RSA PRIVATE KEY-----`],
    [`-----BEGIN PRIVATE KEY-----\nMIIE${secret}`],
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret}`],
    [`postgres://u:p@${secret}@host/db`],
    [`postgres://user:${secret}/x@host:5432/db`],
    [`redis://:${secret}@host`],
    [`amqp://u:${secret}@host and mysql://u:${secret}@other`],
  ])('leaves nothing of the secret in %s', (text, hidden = secret) => {
    const shown = redact(`before ${text} after`);
    expect(shown).not.toContain(hidden);
    expect(shown).not.toContain(secret.slice(0, 12));
    expect(shown).toContain('[redacted]');
    expect(shown).toMatch(/^before /);
  });

  it('keeps what is beside a secret', () => {
    expect(redact(`{"user":"ada","password":"${secret}","port":1}`)).toBe(
      '{"user":"ada","password":"[redacted]","port":1}',
    );
    expect(redact('see https://host/a?b=c@d and mail a@b.org')).toBe(
      'see https://host/a?b=c@d and mail a@b.org',
    );
    expect(redact('connect http://host:80/@scope/name')).toBe('connect http://host:80/@scope/name');
  });

  const hostile: Record<string, string> = {
    letters: 'a',
    colons: '://',
    users: '://u:p@',
    quotes: 'password="\\',
    names: 'token',
    equals: 'token = ',
    spaces: 'authorization:         ',
    cookies: 'cookie',
    keys: '-----BEGIN PRIVATE KEY-----',
    dots: 'eyJaaaaaaaa.',
    dashes: 'sk-',
    beginnings: '-----BEGIN ',
    slacks: 'xoxb.',
  };
  it.each(Object.entries(hostile))('takes time in proportion to a text of %s', (_name, piece) => {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(withinTime(20_000, () => redact(text))).toBeDefined();
  });

  it.each([
    'The task-runner of a desk-top risk-free skill.',
    'Rate limit reached for gpt-5-mini: 3 RPM.',
    'Unknown parameter: response_format.',
    'Lower maxOutputTokens: 4096 tokens are too many; a token is not a word.',
    'The basic idea of a cookie is sweet, and the bearer arrived.',
    'Set OPENAI_API_KEY in the environment.',
  ])('leaves plain text alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('takes out given secrets, except those so short that they would match words', () => {
    expect(redact('my-key and a', ['my-key', 'a'])).toBe('[redacted] and a');
  });
});
