// Pure: no server.
import type { Json, JsonSchema } from '../../../../src/base/json';
import { formatProblem } from '../../../../src/base/problem';
import { checkAgainst, forAnswers } from '../../../../src/core/schema/check-schema';
import { answerSchemaProblem } from '../../../../src/core/schema/schema-problem';

const problems = (schema: JsonSchema, value: Json): string[] => {
  expect(answerSchemaProblem(schema)).toBeUndefined();
  return checkAgainst(schema, value, forAnswers).map(formatProblem);
};

describe('a value that is wrong', () => {
  const seat: JsonSchema = {
    type: 'object',
    properties: {
      seat: { type: 'string', pattern: '^\\d{1,2}[A-F]$' },
      bags: { type: 'integer', minimum: 0, maximum: 3 },
      meal: { enum: ['fish', 'pasta'] },
      by: { type: 'string', format: 'date' },
    },
    required: ['seat'],
    additionalProperties: false,
  };

  it.each<[Json, string[]]>([
    [{ seat: '12A' }, []],
    [{ seat: '12A', bags: 2, meal: 'fish', by: '2026-02-28' }, []],
    [{}, ['seat is required']],
    ['12A', ["must be an object, not '12A'"]],
    [{ seat: '12Z' }, ["seat must match the pattern ^\\d{1,2}[A-F]$, not '12Z'"]],
    [{ seat: '1A', bags: 1.5 }, ['bags must be a whole number, not 1.5']],
    [{ seat: '1A', bags: 4 }, ['bags must be at most 3, not 4']],
    [{ seat: '1A', meal: 'beef' }, ["meal must be one of 'fish', 'pasta', not 'beef'"]],
    [{ seat: '1A', by: '2026-02-30' }, ["by must be a valid date, not '2026-02-30'"]],
    [{ seat: '1A', aisle: true }, ['aisle is not allowed']],
    [JSON.parse('{"seat":"1A","__proto__":1}') as Json, ['__proto__ is not allowed']],
  ])('%j', (value, expected) => {
    expect(problems(seat, value)).toEqual(expected);
  });

  it('names what every branch of a union misses', () => {
    const schema = { anyOf: [{ type: 'string' }, { required: ['id'], type: 'object' }] };
    expect(problems(schema, {})).toEqual([
      'fits no alternative: must be a string, not an object; or id is required',
    ]);
  });

  it('says ten things at most', () => {
    expect(problems({ items: { type: 'string' } }, Array(500).fill(1))).toHaveLength(10);
  });
});

describe('a hostile schema', () => {
  const deep = (levels: number): JsonSchema => (levels === 0 ? {} : { items: deep(levels - 1) });
  const doubling: JsonSchema = {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => [
        `d${level}`,
        level === 19
          ? { type: 'string' }
          : { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    ),
  };

  it.each<[string, unknown, string]>([
    ['no object', [], 'must be a JSON Schema'],
    ['too long', { description: 'x'.repeat(17_000) }, 'at most 16384'],
    ['too deep', deep(120), 'nested too deeply'],
    ['a loop', { $ref: '#' }, 'refers to itself without end'],
    [
      'a loop of two',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'without end',
    ],
    [
      'a loop in a member',
      { properties: { a: { $ref: '#/properties/a' } } },
      'properties.a refers to itself',
    ],
    ['a reference out', { $ref: 'https://example.com/schema' }, 'is not in this schema'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'is not in this schema'],
    ['a reference to a text', { title: 'x', $ref: '#/title' }, 'is not in this schema'],
    ['an unknown type', { type: 'text' }, 'type must be one of'],
    [
      'members that are no schemas',
      { properties: { a: 'string' } },
      'properties.a must be a schema',
    ],
    ['a negative count', { minItems: -1 }, 'minItems must be a whole number'],
    ['no names', { required: 'a' }, 'required must be a list of texts'],
    ['look-ahead', { pattern: '(?=a)a' }, 'look-ahead'],
    ['a back-reference', { pattern: '(a)\\1' }, 'back-reference'],
    ['no pattern', { pattern: '(' }, 'not a regular expression'],
    ['too many repetitions', { pattern: '((a{100}){100}){100}' }, 'repeats too much'],
    ['nothing, a billion times', { pattern: '(((){1000}){1000}){1000}' }, 'repeats too much'],
    ['a long pattern', { pattern: 'a'.repeat(1_001) }, 'more than 1000 characters'],
    ['what is not checked', { unevaluatedProperties: false }, 'use additionalProperties'],
  ])('is refused: %s', (_name, schema, message) => {
    const problem = answerSchemaProblem(schema);
    expect(problem && formatProblem(problem)).toContain(message);
  });

  it.each<[string, JsonSchema, Json]>([
    [
      'a pattern that others try in vain',
      { items: { not: { pattern: '^(a+)+$' } } },
      Array(2_000).fill(`${'a'.repeat(30)}!`),
    ],
    ['many ways', { items: { not: { pattern: '(x+x+)+y' } } }, Array(20).fill('x'.repeat(3_000))],
    ['references that double', doubling, 7],
    [
      'an enumeration for each item',
      { items: { not: { enum: Array.from({ length: 2_000 }, (_, at) => [at]) } } },
      Array(10_000).fill([-1]),
    ],
    [
      'a list within each item',
      { items: { enum: [Array(8_000).fill(0)] } },
      Array(50).fill(Array(8_000).fill(0)),
    ],
    [
      'a length at each level',
      { allOf: Array(500).fill({ maxLength: 70_000 }) },
      'x'.repeat(65_536),
    ],
    [
      'items that are compared',
      { allOf: Array(500).fill({ uniqueItems: true }) },
      Array.from({ length: 10_000 }, (_, at) => at),
    ],
  ])('takes a bounded number of steps: %s', (_name, schema, value) => {
    expect(problems(schema, value)).toEqual([
      'takes too many steps to check: send a smaller or simpler value',
    ]);
  });

  it('does not follow a value deeper than the stack', () => {
    const value = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as Json;
    expect(problems({ items: { $ref: '#' } }, value)).toEqual(['is nested too deeply to check']);
  });
});

it('checks the formats of answers as 0.2.0 did, because a run that replays refuses the same signals again', () => {
  const problems = (format: string, value: string | number) =>
    checkAgainst({ format }, value, forAnswers).length;
  expect(problems('email', 'a..b@-x')).toBe(0);
  expect(problems('email', 'a')).toBe(1);
  expect(problems('hostname', 'no host')).toBe(0);
  expect(problems('int32', 1.5)).toBe(0);
});
