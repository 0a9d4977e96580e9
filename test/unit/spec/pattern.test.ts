// Pure: no server.
import { z } from 'zod';
import { isSafePattern } from '../../../src/spec/pattern/is-safe-pattern';
import { toRegExp } from '../../../src/spec/pattern/to-reg-exp';

describe('isSafePattern', () => {
  it.each([
    '^(a+)+$',
    '(a*)*',
    '(a|a)*$',
    '(a|aa)+$',
    '(a?a?)*b',
    '(x+x+)+y',
    '(a*b*)*',
    '((a+b?)+)+',
    '(\\w|\\d)*x',
    '^(\\w+\\s?)+$',
    '^([a-zA-Z0-9]+)*$',
    '^(\\d+|\\w+)*$',
    '(\\s*,\\s*)*',
    '^(?:.|\\s)*$',
    '([^"]|\\\\.)*"',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?=(a+)+$)b',
    '(?<!(a+)+)b',
    '(?:a{1,20}){1,20}$',
    '(?:a{2,}){3,}$',
    '^(?<name>a+)+$',
    '(\\u0061|a)*b',
    '([\\x61-c]|b)*d',
    '(\\p{L}|a)*b',
    '([\\s\\S]|x)*y',
    '(\\cJ|\\n)*x',
    '(a\\1+)+(b)$',
  ])('refuses %s, which can take for ever', (pattern) => {
    expect(isSafePattern(pattern)).toBe(false);
  });

  it.each([
    '',
    '^$',
    '^(foo|bar)+$',
    '^[a-z]+(-[a-z]+)*$',
    '^(\\w+\\s+)+$',
    '^\\d{3}-\\d{4}$',
    '^\\s*(.*?)\\s*$',
    '^([a-z0-9]+\\.)+[a-z]{2,63}$',
    '^"([^"\\\\]|\\\\.)*"$',
    '^(?<quote>[\'"]).*\\k<quote>$',
    '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
    '^\\+?[1-9]\\d{1,14}$',
    '^([0-9a-f]{8})+$',
    '^([0-9a-f]{8}-){3}[0-9a-f]{8}$',
    '^https?://[^\\s/$.?#].[^\\s]*$',
    '^(\\([0-9]{3}\\))?[0-9]{3}-[0-9]{4}$',
    '^#?([a-f0-9]{6}|[a-f0-9]{3})$',
    '^(?!.*\\.\\.)[a-z.]+\\b$',
    '^[^\\W\\d_]+$',
    '^\\u{1F600}+$',
    '^[\\w-.]+$',
    '^a{,3}$',
    '^[]$',
  ])('lets %s through', (pattern) => {
    expect(isSafePattern(pattern)).toBe(true);
  });

  const formats = {
    email: z.email(),
    html5Email: z.email({ pattern: z.regexes.html5Email }),
    rfc5322Email: z.email({ pattern: z.regexes.rfc5322Email }),
    uuid: z.uuid(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidrv6: z.cidrv6(),
    datetime: z.iso.datetime({ offset: true }),
    duration: z.iso.duration(),
    base64: z.base64(),
    hostname: z.hostname(),
    domain: z.string().regex(z.regexes.domain),
    emoji: z.emoji(),
  };

  it.each(Object.entries(formats))('lets the pattern of zod for %s through', (_name, schema) => {
    const { pattern } = z.toJSONSchema(schema) as { pattern: string };
    expect(isSafePattern(pattern)).toBe(true);
  });

  it.each([
    ['too long', 'a'.repeat(2001)],
    ['too many positions', '(a{60}){60}'],
    ['too many steps', `(?:${'(?:a?b?c?d?)'.repeat(400)}x)*`],
    ['syntax it does not know', '(?i:a)b'],
  ])('refuses a pattern with %s', (_name, pattern) => {
    expect(isSafePattern(pattern)).toBe(false);
  });
});

describe('toRegExp', () => {
  it('falls back to the lenient syntax', () => {
    expect(toRegExp('^[\\w-.]+$').flags).toBe('');
    expect(toRegExp('^\\p{Lu}$').flags).toBe('u');
    expect(() => toRegExp('(')).toThrow(SyntaxError);
  });
});
