// Pure: no server.
import { budgetProblem } from '../../../../src/core/schema/json-budget';
import { parsePattern } from '../../../../src/core/schema/pattern-parser';
import { patternSteps } from '../../../../src/core/schema/pattern-steps';

const most = { bytes: 1_000, values: 50, levels: 10, patternSteps: 100 };

it.each<[string, unknown, string | undefined]>([
  ['a small schema', { type: 'object', properties: { pattern: { type: 'string' } } }, undefined],
  ['no JSON', [undefined, () => 1, Symbol.iterator, 1n], undefined],
  ['a long text', { title: 'x'.repeat(1_001) }, 'has more than 1000 bytes'],
  ['a long text of others', { title: 'é'.repeat(501) }, 'has more than 1000 bytes'],
  ['a long name', { ['x'.repeat(1_001)]: 1 }, 'has more than 1000 bytes'],
  ['many values', Array(60).fill(0), 'has more than 50 values'],
  ['many members', Object.fromEntries(Array(60).entries()), 'has more than 50 values'],
  ['many levels', JSON.parse(`${'['.repeat(12)}${']'.repeat(12)}`), 'has more than 10 levels'],
  [
    'a pattern',
    { items: { pattern: '(?:(?:x1){1,31}){1,31}' } },
    'has patterns of more than 100 steps, with their repetitions written out',
  ],
  [
    'the pattern of a name',
    { patternProperties: { 'a{101}': {} } },
    'has patterns of more than 100 steps, with their repetitions written out',
  ],
  [
    'patterns together',
    [{ pattern: 'a{30}' }, { pattern: 'b{30}' }],
    'has patterns of more than 100 steps, with their repetitions written out',
  ],
])('measures %s', (_name, value, problem) => {
  expect(budgetProblem(value, most)).toBe(problem);
});

it('counts what stands beside a pattern of numbers beyond all', () => {
  const endless = `${'(?:'.repeat(40)}x${'{999999999})'.repeat(40)}`;
  expect(budgetProblem([{ pattern: endless }, { pattern: 'a{101}' }], most)).toMatch(
    /of more than 100 steps/,
  );
});

it('ends with a value that contains itself', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(budgetProblem(value, most)).toBe('has more than 10 levels');
});

it('looks at no value beyond the budget', () => {
  let looks = 0;
  const watched = new Proxy(Array(1_000_000).fill(0), {
    get: (target, name, receiver) => {
      looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  expect(budgetProblem(watched, most)).toBe('has more than 50 values');
  expect(looks).toBeLessThan(200);
});

describe('the steps of a pattern', () => {
  it.each([
    ['(?:(?:x1){1,31}){1,31}', 2 * 31 * 31],
    ['(((a{10}){10}){10}){10}', 10_000],
    ['(?:){1000000}', 1_000_000],
    ['[a-z]{500}', 500],
    ['\\u{1F600}{500}', 500],
    ['(?<name>a|b){500}', 1_500],
  ])('%s', (source, atLeast) => {
    expect(patternSteps(source)).toBeGreaterThanOrEqual(atLeast);
    expect(patternSteps(source)).toBeLessThan(4 * atLeast);
  });

  it.each([
    ['ranges of a property', '\\p{L}'.repeat(500)],
    ['those in a class', `[${'\\p{scx=Zyyy}\\P{L}'.repeat(250)}]`],
    ['a number with zeros before it', '(?:x{0000000000031}){0000000000999}'],
    ['repetitions beyond all numbers', `${'(?:'.repeat(40)}x${'{999999999})'.repeat(40)}`],
    [
      'counts beyond all numbers',
      `(?:x{${'9'.repeat(400)}}){0}(?:y{${'9'.repeat(400)}}){${'9'.repeat(400)}}`,
    ],
  ])('of %s are many', (_what, source) => {
    expect(patternSteps(source)).toBeGreaterThan(10_000);
  });

  it('of a property count once, as engines make its ranges once', () => {
    expect(patternSteps('^[\\p{L}\\p{N} ]{1,100}$')).toBeLessThan(500);
  });

  it.each([
    '^\\d{1,2}[A-F]$',
    '^[^@]+@[^@]+\\.[a-z]{2,}$',
    '[{5000}]',
    '\\p{L}',
    'a\\{5000\\}',
    '',
  ])('of %s are few', (source) => {
    expect(patternSteps(source)).toBeLessThan(30);
  });

  it.each(['((((', '))))', '{9}', '+', '\\', '[', '(?<', 'a{99999999999999999999}'])(
    'of %s, which is none, are a number',
    (source) => {
      expect(patternSteps(source)).toBeGreaterThan(0);
    },
  );

  it('bound what a pattern compiles to', () => {
    const atoms = ['a', '[bc]', '\\d', '(?:ab|c)', '(d|e|f)', '\\b'];
    const times = ['', '*', '+', '?', '{3}', '{2,5}', '{4,}', '+?'];
    for (const atom of atoms)
      for (const inner of times)
        for (const outer of times) {
          const source = `(?:${atom === '\\b' ? atom : atom + inner}x)${outer}`;
          // The compiler takes 2,000 steps.
          const copies = Math.floor(1_990 / (patternSteps(source) + 1));
          const whole = `(?:${source}){${copies}}`;
          expect(patternSteps(whole)).toBeLessThanOrEqual(2_000);
          const parsed = parsePattern(whole, { characters: 1_000, steps: 2_000 });
          expect(parsed).toMatchObject({ ok: true });
        }
  });
});
