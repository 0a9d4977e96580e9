// Pure: no server.
import type { Json, JsonSchema } from '../../../../src/base/json';
import { checkAgainst, forAnswers } from '../../../../src/core/schema/check-schema';
import { answerSchemaProblem } from '../../../../src/core/schema/schema-problem';

const fits = (schema: JsonSchema, value: Json): boolean =>
  checkAgainst(schema, value, forAnswers).length === 0;

describe('formats', () => {
  it.each([
    [
      'date',
      ['2024-02-29', '2000-02-29', '2026-12-31'],
      ['2026-02-29', '1900-02-29', '2026-00-01', '2026-13-01', '2026-01-00', '2026-04-31', 'x'],
    ],
    ['time', ['23:59:59Z', '00:00:00.5+01:00'], ['24:00:00Z', '10:00']],
    [
      'date-time',
      ['2026-01-01T10:00:00Z', '2026-01-01 10:00:00-05:00'],
      ['2026-01-01', '2026-01-01x10:00:00Z'],
    ],
    ['email', ['ada@example.org', 'a@b'], ['ada', 'a b@c', 'a@b..c']],
    ['uri', ['https://example.org/x', 'urn:x:y'], ['example.org', 'http://a b']],
    [
      'uuid',
      ['123e4567-e89b-12d3-a456-426614174000'],
      ['123e4567', '123e4567-e89b-12d3-a456-42661417400g'],
    ],
    ['shoe-size', ['anything'], []],
    ['toString', ['anything'], []],
  ])('%s', (format, right, wrong) => {
    const schema = { type: 'string', format };
    expect(right.filter((text) => !fits(schema, text))).toEqual([]);
    expect(wrong.filter((text) => fits(schema, text))).toEqual([]);
  });
});

describe('lists', () => {
  it.each<[string, JsonSchema, Json[], Json[]]>([
    [
      'prefixItems',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [['a', 1], []],
      [[1], ['a', 'b']],
    ],
    [
      'a list of draft-07',
      { items: [{ type: 'string' }], additionalItems: false },
      [['a'], []],
      [[1], ['a', 1]],
    ],
    [
      'additionalItems beside one schema',
      { items: { type: 'number' }, additionalItems: false },
      [[1, 2]],
      [['a']],
    ],
    ['how many items', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    ['contains', { contains: { type: 'number' } }, [['a', 1]], [['a'], []]],
    [
      'how often it contains',
      { contains: { const: 1 }, minContains: 2, maxContains: 2 },
      [[1, 1]],
      [[1], [1, 1, 1]],
    ],
    ['contains none', { contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
    [
      'uniqueItems',
      { uniqueItems: true },
      [[1, '1']],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ['no items beyond the first', { prefixItems: [{}], items: false }, [[1], 'x'], [[1, 2]]],
    ['uniqueItems: false', { uniqueItems: false }, [[1, 1]], []],
  ])('%s', (_name, schema, right, wrong) => {
    expect(right.filter((value) => !fits(schema, value))).toEqual([]);
    expect(wrong.filter((value) => fits(schema, value))).toEqual([]);
  });
});

describe('objects', () => {
  it.each<[string, JsonSchema, Json[], Json[]]>([
    ['required', { required: ['a'] }, [{ a: null }], [{}, { b: 1 }]],
    [
      'patternProperties',
      { patternProperties: { '^n': { type: 'number' } } },
      [{ n1: 1, x: 'x' }],
      [{ n1: 'x' }],
    ],
    [
      'additionalProperties',
      { properties: { a: {} }, patternProperties: { '^n': {} }, additionalProperties: false },
      [{ a: 1, n1: 2 }],
      [{ b: 1 }],
    ],
    [
      'additionalProperties alone',
      { additionalProperties: { type: 'number' } },
      [{ a: 1 }],
      [{ a: 'x' }],
    ],
    [
      'a null that a name or a pattern allows',
      { patternProperties: { '^n': { type: 'null' } }, additionalProperties: { type: 'null' } },
      [{ n: null, a: null }],
      [{ n: 1 }, { a: 1 }],
    ],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
    ['how many members', { minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 2 }], [{ a: 1 }]],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ b: 1 }], [{ a: 1 }]],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    ['objects only', { required: ['a'], minItems: 1, minLength: 1, minimum: 1 }, [true, null], []],
  ])('%s', (_name, schema, right, wrong) => {
    expect(right.filter((value) => !fits(schema, value))).toEqual([]);
    expect(wrong.filter((value) => fits(schema, value))).toEqual([]);
  });
});

describe('any value', () => {
  it.each<[string, JsonSchema, Json[], Json[]]>([
    ['types', { type: ['string', 'null'] }, ['a', null], [1]],
    ['enum', { enum: [1, { a: [1] }] }, [1, { a: [1] }], [2, { a: [2] }, { a: {} }, null]],
    ['an enum of one', { enum: ['x'] }, ['x'], ['y']],
    ['a long enum', { enum: Array.from({ length: 30 }, (_, index) => index) }, [29], [30]],
    ['const', { const: { a: 1 } }, [{ a: 1 }], [{ a: 1, b: 1 }, [1], 'x']],
    ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'number' }] }, ['a', 1], [true]],
    ['oneOf', { oneOf: [{ minimum: 1 }, { maximum: 1 }] }, [0, 2], [1]],
    ['oneOf of none', { oneOf: [{ const: 1 }, false] }, [1], [2]],
    ['not', { not: { type: 'string' } }, [1], ['a']],
    [
      'if, then, else',
      { if: { type: 'string' }, then: { minLength: 1 }, else: { minimum: 1 } },
      ['a', 1],
      ['', 0],
    ],
    ['if alone', { if: { type: 'string' } }, ['a', 1], []],
    ['$ref', { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, [1], ['a']],
    ['no value', { properties: { a: false } }, [{}], [{ a: 1 }]],
  ])('%s', (_name, schema, right, wrong) => {
    expect(right.filter((value) => !fits(schema, value))).toEqual([]);
    expect(wrong.filter((value) => fits(schema, value))).toEqual([]);
  });
});

describe('schemas that cannot be used', () => {
  it.each<[string, unknown]>([
    ['a text', 'x'],
    ['no JSON', { default: undefined, enum: [() => 1] }],
    ['too long', { description: 'x'.repeat(17_000) }],
    ['a type that does not exist', { type: 'text' }],
    ['no types', { type: [] }],
    ['an enum that is no list', { enum: 'x' }],
    ['an empty enum', { enum: [] }],
    ['a multiple of 0', { multipleOf: 0 }],
    ['a pattern that is no text', { pattern: 5 }],
    ['a pattern that looks around', { pattern: '(?=a)' }],
    ['a name that looks around', { patternProperties: { '(?=a)': {} } }],
    ['properties that are no object', { properties: [] }],
    ['needs that are no names', { dependentRequired: { a: [5] } }],
    ['a bound that is no number', { minimum: '1' }],
    ['a count below 0', { minItems: -1 }],
    ['names that are no texts', { required: [5] }],
    ['uniqueItems that is no boolean', { uniqueItems: 'yes' }],
    ['alternatives that are no list', { anyOf: {} }],
    ['a $ref that is no text', { $ref: 5 }],
    ['a $ref to elsewhere', { $ref: 'https://example.org' }],
    ['a $ref to nothing', { $ref: '#/$defs/none' }],
    ['a $ref to itself', { $ref: '#' }],
    [
      'a loop through alternatives',
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    ],
    ['a loop through what depends', { dependentSchemas: { a: { $ref: '#' } } }],
    ['what is not checked', { unevaluatedProperties: false }],
  ])('%s', (_name, schema) => {
    expect(answerSchemaProblem(schema)?.message).toMatch(/\w/);
  });

  it('leaves all others', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' }, not: { not: false } } };
    expect(answerSchemaProblem({ ...node, title: 'A node', examples: [1] })).toBeUndefined();
  });
});
