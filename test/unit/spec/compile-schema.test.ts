// Pure: no server.
import type { Json } from '../../../src/protocol/json';
import { compileSchema } from '../../../src/spec/compile-schema';
import { refusalOf } from './builders';

const personSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    email: { type: 'string', format: 'email' },
    role: { enum: ['admin', 'user'] },
    kind: { const: 'person' },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 1, maxItems: 2 },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    either: { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] },
    nested: { type: 'object', minProperties: 1, unevaluatedProperties: false },
    'a/b~c d%': { type: 'string' },
  },
  required: ['name'],
  additionalProperties: false,
};

describe('compileSchema', () => {
  const check = compileSchema(personSchema);

  it('has no problems with a value that matches', () => {
    expect(check({ name: 'Ada', age: 36, email: 'ada@example.org', either: { id: 1 } })).toEqual(
      [],
    );
  });

  it.each<[string, Json, string, string]>([
    ['a wrong type', 'x', '', "must be an object, not 'x'"],
    ['a missing property', {}, 'name', 'is required'],
    [
      'an unknown property',
      { name: 'A', rolle: 1 },
      'rolle',
      "is not allowed; did you mean 'role'?",
    ],
    ['an empty text', { name: '' }, 'name', 'must not be empty'],
    ['a long text', { name: 'Gottfried' }, 'name', 'must have at most 5 characters'],
    ['a fraction', { name: 'A', age: 1.5 }, 'age', 'must be a whole number, not 1.5'],
    ['a small number', { name: 'A', age: -1 }, 'age', 'must be at least 0, not -1'],
    ['a large number', { name: 'A', age: 151 }, 'age', 'must be at most 150, not 151'],
    ['a limit', { name: 'A', share: 1 }, 'share', 'must be less than 1, not 1'],
    ['another limit', { name: 'A', share: 0 }, 'share', 'must be more than 0, not 0'],
    ['a format', { name: 'A', email: 'ada' }, 'email', "must be a valid email, not 'ada'"],
    ['a choice', { name: 'A', role: 'boss' }, 'role', "must be one of 'admin', 'user', not 'boss'"],
    ['a constant', { name: 'A', kind: 'cat' }, 'kind', "must be 'person', not 'cat'"],
    ['an item', { name: 'A', tags: [1] }, 'tags[0]', 'must be a string, not 1'],
    ['an empty array', { name: 'A', tags: [] }, 'tags', 'must not be empty'],
    ['a long array', { name: 'A', tags: ['a', 'b', 'c'] }, 'tags', 'must have at most 2 items'],
    [
      'twins',
      { name: 'A', tags: ['a', 'a'] },
      'tags',
      'must not hold an item twice, as at [0] and [1]',
    ],
    ['a pattern', { name: 'A', code: 'ab' }, 'code', "must match the pattern ^[A-Z]{3}$, not 'ab'"],
    ['an empty object', { name: 'A', nested: {} }, 'nested', 'must not be empty'],
    ['an unevaluated property', { name: 'A', nested: { x: 1 } }, 'nested.x', 'is not allowed'],
    ['an odd name', { name: 'A', 'a/b~c d%': 1 }, '["a/b~c d%"]', 'must be a string, not 1'],
    [
      'a union',
      { name: 'A', either: {} },
      'either',
      'fits no alternative: must be a string, not an object; or id is required',
    ],
  ])('names the place of %s', (_name, value, path, message) => {
    expect(check(value)).toEqual([{ path, message }]);
  });

  it('lists all problems', () => {
    expect(check({ age: 'x', role: 1 })).toEqual([
      { path: 'name', message: 'is required' },
      { path: 'age', message: "must be a whole number, not 'x'" },
      { path: 'role', message: "must be one of 'admin', 'user', not 1" },
    ]);
  });

  it('lists at most 100 problems', () => {
    const items = { anyOf: [{ type: 'string' }, { type: 'boolean' }] };
    const many = compileSchema({ type: 'array', items })(Array.from({ length: 50_000 }, () => 1));
    expect(many.length).toBeLessThanOrEqual(100);
  });

  it('ignores formats it does not know', () => {
    expect(compileSchema({ type: 'string', format: 'phone' })('x')).toEqual([]);
  });

  it('reads draft-07 where $schema says so', () => {
    const draft07 = compileSchema({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'string' }, { type: 'number' }],
    });
    expect(draft07(['x', 'y'])).toEqual([{ path: '[1]', message: "must be a number, not 'y'" }]);
  });

  it('reads draft 2020-12 by default', () => {
    const tuple = compileSchema({ type: 'array', prefixItems: [{ type: 'string' }] });
    expect(tuple([1])).toEqual([{ path: '[0]', message: 'must be a string, not 1' }]);
  });

  it('takes two schemas of one $id', () => {
    const text = compileSchema({ $id: 'https://example.org/a', type: 'string' });
    const number = compileSchema({ $id: 'https://example.org/a', type: 'number' });
    expect([text('x'), number('x')]).toEqual([
      [],
      [{ path: '', message: "must be a number, not 'x'" }],
    ]);
  });

  it('takes two schemas with inner ones of one $id', () => {
    const [text, number] = ['string', 'number'].map((type) =>
      compileSchema({
        $id: 'https://example.org/outer',
        $ref: 'inner',
        $defs: { inner: { $id: 'inner', type } },
      }),
    );
    expect([text?.('x'), number?.(1), number?.('x')]).toEqual([
      [],
      [],
      [{ path: '', message: "must be a number, not 'x'" }],
    ]);
  });

  it('follows references, recursive ones too', () => {
    const tree = compileSchema({
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          additionalProperties: false,
        },
      },
    });
    expect(tree({ children: [{ children: [] }, { childs: [] }] })).toEqual([
      { path: 'children[1].childs', message: 'is not allowed' },
    ]);
  });

  it('follows references to the whole schema', () => {
    const list = compileSchema({ type: 'object', properties: { next: { $ref: '#' } } });
    expect(list({ next: { next: 1 } })).toEqual([
      { path: 'next.next', message: 'must be an object, not 1' },
    ]);
  });

  it('reports a schema that refers to itself without end', () => {
    expect(compileSchema({ $ref: '#' })(1)).toEqual([
      { path: '', message: 'Maximum call stack size exceeded' },
    ]);
  });

  it('reports a pattern that takes too long', () => {
    const slow = compileSchema({ type: 'string', pattern: '^a*a*a*a*a*$' });
    expect(slow(`${'a'.repeat(5_000)}!`)).toEqual([
      { path: '', message: 'took too long to check against the pattern ^a*a*a*a*a*$' },
    ]);
  });

  it('bounds the time of all patterns together', () => {
    const slow = compileSchema({ items: { type: 'string', pattern: '^a*a*a*a*a*$' } });
    const start = performance.now();
    expect(slow(Array.from({ length: 1_000 }, () => `${'a'.repeat(300)}!`))).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('compiles a schema once', () => {
    const schema = { type: 'string' };
    expect(compileSchema(schema)).toBe(compileSchema(schema));
  });

  it.each<[string, Json, string]>([
    ['text', 'string', 'must be a JSON Schema object'],
    [
      'an unknown type',
      { properties: { a: { type: 'strin' } } },
      "properties.a.type fits no alternative: must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string', not 'strin'; or must be an array, not 'strin'",
    ],
    [
      'a wrong keyword value',
      { properties: { a: { minimum: 'x' } } },
      "properties.a.minimum must be a number, not 'x'",
    ],
    [
      'a reference to nothing',
      { $ref: '#/$defs/nothing' },
      "can't resolve reference #/$defs/nothing from id #",
    ],
    [
      'an unknown draft',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      "$schema must name draft 2020-12 or draft-07, not 'http://json-schema.org/draft-04/schema#'",
    ],
    [
      'a draft that is no text',
      { $schema: 7 },
      '$schema must name draft 2020-12 or draft-07, not 7',
    ],
    [
      'a very long schema',
      { description: 'x'.repeat(140_000) },
      'must be at most 128 KiB, not 137',
    ],
    [
      'very many patterns',
      { allOf: Array.from({ length: 101 }, () => ({ pattern: '^x$' })) },
      'has more than 100 patterns',
    ],
    ['an asynchronous schema', { $async: true }, '$async is not allowed'],
    [
      'a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      "properties.a.pattern is not a regular expression: '('",
    ],
    [
      'a dangerous pattern',
      { allOf: [{ pattern: '^(a+)+$' }] },
      "allOf[0].pattern could take for ever on some texts: '^(a+)+$'; write it without repetitions inside repetitions that can match the same text",
    ],
    [
      'a dangerous property pattern',
      { patternProperties: { '(a|a)*$': {} } },
      'patternProperties["(a|a)*$"] could take for ever on some texts: \'(a|a)*$\'; write it without repetitions inside repetitions that can match the same text',
    ],
  ])('refuses %s', (_name, schema, message) => {
    expect(refusalOf(() => compileSchema(schema))).toBe(`SpecError: The JSON Schema: ${message}`);
  });

  it('looks for patterns only where they are patterns', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { const: '(a+)+' } },
      default: { pattern: '(a+)+' },
      enum: [{ pattern: '(a+)+' }],
    };
    expect(compileSchema(schema)({ pattern: '(a+)+' })).toEqual([]);
  });
});
