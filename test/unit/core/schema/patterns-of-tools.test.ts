// Pure: no server.
import fc from 'fast-check';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { toolSchemaProblems } from '../../../../src/core/schema/schema-problem';

const refusalOf = (pattern: string): string | undefined =>
  toolSchemaProblems({ pattern })[0]?.message;

function matches(pattern: string, text: string): boolean {
  expect(refusalOf(pattern)).toBeUndefined();
  return checkAgainst({ pattern }, text, forTools).length === 0;
}

const regular = [
  '^$',
  '^(foo|bar)+$',
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{3}-\\d{4}$',
  '^([a-z0-9]+\\.)+[a-z]{2,63}$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
  '^(\\([0-9]{3}\\))?[0-9]{3}-[0-9]{4}$',
  '^[^\\W\\d_]+$',
  '^\\u{61}+$',
  '^\\u0062\\x63$',
  '^[\\w-.]+$',
  '^a{,3}$',
  '^[]$',
  '[^]b',
  '^\\p{Lu}$',
  '\\bfoo\\b',
  '^(a+)+$',
  '(a|aa)*b$',
  '^(?:a{1,20}){1,20}$',
  '^(?<name>a|b)$',
];

describe('patterns', () => {
  it.each(regular)('%s matches what it does in JavaScript', (pattern) => {
    const unicode = (() => {
      try {
        return new RegExp(pattern, 'u');
      } catch {
        return new RegExp(pattern);
      }
    })();
    const texts = fc.oneof(
      fc.stringMatching(/^[abfo0-9.@_() -]{0,6}$/),
      fc.constantFrom('', 'foo', 'foobar', 'É', 'a-b', 'a.io', 'ada@example.org', '(123)123-4567'),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(matches(pattern, text)).toBe(unicode.test(text));
      }),
    );
  });

  it.each([
    ['look-ahead', '(?=a)b', 'uses look-ahead or look-behind'],
    ['look-behind', '(?<!a)b', 'uses look-ahead or look-behind'],
    ['a back-reference', '(a)\\1', 'uses a back-reference'],
    ['a named back-reference', '(?<q>a)\\k<q>', 'uses a back-reference'],
    [
      'many repetitions',
      'a{1,20000}',
      'repeats too much: it has more than 10000 steps, written out',
    ],
    ['a group with flags', '(?i:a)', /group with flags|not a regular/],
    ['syntax of other languages', '(?P<x>a)', 'is not a regular expression'],
    ['nothing to close', '(', 'is not a regular expression'],
  ])('refuses %s', (_name, pattern: string, message: string | RegExp) => {
    expect(refusalOf(pattern)).toMatch(message);
    expect(refusalOf(pattern)).toContain(`'${pattern}'`);
  });

  it.each(['(a?){500}b{500}', '((((a{1,9}){1,9}){1,9}){1,9})', `${'('.repeat(5_000)}a`])(
    'answers at once to %s',
    (pattern) => {
      const start = process.threadCpuUsage();
      refusalOf(pattern);
      const { user, system } = process.threadCpuUsage(start);
      // Without a bound it takes minutes.
      expect((user + system) / 1_000).toBeLessThan(10_000);
    },
  );
});
