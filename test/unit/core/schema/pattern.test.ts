// Pure: no server.
import { compilePattern } from '../../../../src/core/schema/pattern';

const bounds = { characters: 1_000, steps: 2_000 };
const free = (): void => undefined;

function isIn(source: string, text: string): boolean {
  const compiled = compilePattern(source, { bounds });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.pattern.isIn(text, free);
}

describe('a pattern means what it means in JavaScript', () => {
  const sources = [
    '',
    'a',
    '^a',
    'a$',
    '^$',
    'a|b',
    '^(a|b)c',
    'a*b',
    'a+?b',
    '^a?b$',
    'a{2}',
    '^a{2,}$',
    '^a{1,2}$',
    '^(?:ab|a)(?:c|bcd)$',
    '(?<name>a)b',
    '[a-c]+d',
    '[^a-c]',
    '[\\]x]',
    '\\d+',
    '\\bab\\b',
    '\\Bb',
    '^\\S+$',
    '.',
    '^.$',
    '\\.',
    '\\u0061',
    '\\u{1F600}',
    '\\x61',
    '^\\p{L}+$',
    '^\\P{L}$',
    '(a*)*b',
    '(|a)+b',
    '^(a?){3}$',
    '\\t',
    '{',
    'a{',
    '^[^@]+@[^@]+$',
    '^(?:\\d{3}-)?\\d{4}$',
    '\\uD83D\\uDE00',
  ];
  const texts = [
    '',
    'a',
    'b',
    'aa',
    'aaa',
    'ab',
    'abc',
    'abcd',
    'abcbcd',
    'bc',
    'x',
    ']',
    'd',
    '12',
    '555-1234',
    '1234',
    'ab cd',
    'cab',
    'a@b',
    'é',
    '\u{1F600}',
    '\t',
    '{',
    'a{',
    '.',
    '\n',
    'a\nb',
  ];

  it.each(sources)('%s', (source) => {
    let expression: RegExp;
    try {
      expression = new RegExp(source, 'u');
    } catch {
      expression = new RegExp(source);
    }
    for (const text of texts)
      expect({ text, isIn: isIn(source, text) }).toEqual({ text, isIn: expression.test(text) });
  });
});

it.each([
  ['^(a+)+$', `${'a'.repeat(5_000)}!`],
  ['(a|aa)+$', `${'a'.repeat(5_000)}!`],
  ['^(.*a){20}$', 'a'.repeat(2_000)],
])('takes steps in proportion to the text: %s', (source, text) => {
  const compiled = compilePattern(source, { bounds });
  if (!compiled.ok) throw new Error(compiled.problem);
  let steps = 0;
  compiled.pattern.isIn(text, (more) => {
    steps += more;
  });
  expect(steps).toBeLessThan(200 * text.length);
});
