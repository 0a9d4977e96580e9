// Pure: no server. Schemas of arguments and of outputs.
import type { Json, JsonSchema } from '../../../../src/base/json';
import { formatProblem, type Problem } from '../../../../src/base/problem';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { toolSchemaProblems } from '../../../../src/core/schema/schema-problem';

const checkOf = (schema: JsonSchema): ((value: Json) => readonly Problem[]) => {
  expect(toolSchemaProblems(schema)).toEqual([]);
  return (value) => checkAgainst(schema, value, forTools);
};

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

/** As many levels as said, each of which refers twice to the one below. */
function tower(levels: number, reference = '$ref'): JsonSchema {
  const defs: JsonSchema = { d0: { type: 'string' } };
  for (let level = 1; level < levels; level += 1) {
    const below = { [reference]: `#/$defs/d${level - 1}` };
    defs[`d${level}`] = { anyOf: [{ ...below }, { ...below }] };
  }
  return { $ref: `#/$defs/d${levels - 1}`, $defs: defs };
}

const tooManyParts =
  'comes to more than 50,000 parts with its references written out: refer to the same schema less often';

function nested(levels: number): JsonSchema {
  return levels === 0 ? {} : { items: nested(levels - 1) };
}

describe('the check of arguments', () => {
  const check = checkOf(personSchema);

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
      { path: 'age', message: "must be a whole number, not 'x'" },
      { path: 'role', message: "must be one of 'admin', 'user', not 1" },
      { path: 'name', message: 'is required' },
    ]);
  });

  it('lists at most ten problems', () => {
    const items = { anyOf: [{ type: 'string' }, { type: 'boolean' }] };
    const many = checkOf({ type: 'array', items })(Array.from({ length: 50_000 }, () => 1));
    expect(many).toHaveLength(10);
  });

  it('ignores formats it does not know', () => {
    expect(checkOf({ type: 'string', format: 'phone' })('x')).toEqual([]);
  });

  it('reads draft-07 where $schema says so', () => {
    const draft07 = checkOf({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'string' }, { type: 'number' }],
    });
    expect(draft07(['x', 'y'])).toEqual([{ path: '[1]', message: "must be a number, not 'y'" }]);
  });

  it('reads draft 2020-12 by default', () => {
    const tuple = checkOf({ type: 'array', prefixItems: [{ type: 'string' }] });
    expect(tuple([1])).toEqual([{ path: '[0]', message: 'must be a string, not 1' }]);
  });

  it('takes two schemas of one $id', () => {
    const text = checkOf({ $id: 'https://example.org/a', type: 'string' });
    const number = checkOf({ $id: 'https://example.org/a', type: 'number' });
    expect([text('x'), number('x')]).toEqual([
      [],
      [{ path: '', message: "must be a number, not 'x'" }],
    ]);
  });

  it('takes two schemas with inner ones of one $id', () => {
    const [text, number] = ['string', 'number'].map((type) =>
      checkOf({
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
    const tree = checkOf({
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
    const list = checkOf({ type: 'object', properties: { next: { $ref: '#' } } });
    expect(list({ next: { next: 1 } })).toEqual([
      { path: 'next.next', message: 'must be an object, not 1' },
    ]);
  });

  it.each<[string, unknown, string | string[]]>([
    ['text', 'string', 'must be a JSON Schema: a JSON object'],
    [
      'an unknown type',
      { properties: { a: { type: 'strin' } } },
      "properties.a.type must be one of string, number, integer, boolean, array, object, null, or a list of them, not 'strin'",
    ],
    [
      'a wrong keyword value',
      { properties: { a: { minimum: 'x' } } },
      "properties.a.minimum must be a number, not 'x'",
    ],
    [
      'a reference to nothing',
      { $ref: '#/$defs/nothing' },
      "$ref '#/$defs/nothing' is not in this schema: refer to a part of it, such as '#/$defs/name'",
    ],
    [
      'a reference to another schema',
      { $ref: 'https://example.org/a' },
      "$ref 'https://example.org/a' is not in this schema: refer to a part of it, such as '#/$defs/name'",
    ],
    ['a schema that refers to itself without end', { $ref: '#' }, 'refers to itself without end'],
    [
      'an unknown draft',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      "$schema must name draft 2020-12, 2019-09 or draft-07, not 'http://json-schema.org/draft-04/schema#'",
    ],
    [
      'a draft that is no text',
      { $schema: 7 },
      '$schema must name draft 2020-12, 2019-09 or draft-07, not 7',
    ],
    [
      'a very long schema',
      { description: 'x'.repeat(140_000) },
      'has 140018 bytes of JSON; at most 131072 are taken',
    ],
    ['a deep schema', nested(101), `${'items.'.repeat(100)}items is nested too deeply`],
    ['a schema that is deeper', nested(401), expect.stringContaining('more than 200 levels deep')],
    ['a tower of references', tower(16), tooManyParts],
    ['a tower in a member', { properties: { a: { $ref: '#' } }, ...tower(40) }, tooManyParts],
    [
      'dynamic references',
      tower(2, '$dynamicRef'),
      Array(2).fill(expect.stringContaining('.$dynamicRef is not checked here: use $ref')),
    ],
    [
      'a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      "properties.a.pattern is not a regular expression: '('",
    ],
    [
      'a pattern with look-ahead',
      { allOf: [{ pattern: '^(?!a)b' }] },
      "allOf[0].pattern uses look-ahead or look-behind; write it without, or check it in code: '^(?!a)b'",
    ],
    [
      'two patterns with back-references',
      { patternProperties: { '(a)\\1': {} }, properties: { a: { pattern: '(?<n>a)\\k<n>' } } },
      [
        'patternProperties["(a)\\\\1"] uses a back-reference; write it without, or check it in code: \'(a)\\1\'',
        "properties.a.pattern uses a back-reference; write it without, or check it in code: '(?<n>a)\\k<n>'",
      ],
    ],
  ])('refuses %s', (_name, schema, messages) => {
    expect(toolSchemaProblems(schema).map(formatProblem)).toEqual([messages].flat());
  });

  it('looks for patterns only where they are patterns', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { const: '(a+)+' } },
      default: { pattern: '(a+)+' },
      enum: [{ pattern: '(a+)+' }],
    };
    expect(checkOf(schema)({ pattern: '(a+)+' })).toEqual([]);
  });
});

const tooMany = 'takes too many steps to check: send a smaller or simpler value';

/** More than anybody can step through, with all its states at work. */
const slow = Array.from({ length: 100 }, (_, at) => `[\\p{L}\\d]{0,${at % 50}}`).join('');

/** What a model may send: 256 KiB of arguments. */
const bytes = 256 * 1024;
const list = (item: Json): Json =>
  Array.from({ length: Math.floor(bytes / (JSON.stringify(item).length + 1)) }, () => item);
const depth = (levels: number): Json =>
  JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as Json;
const lists = Array.from({ length: 32_000 }, (_, at) => [at]);
const distinct = Array.from({ length: 500 }, (_, at) => ({ a: [at], b: 'x' }));

describe('a value that is as large as a model may send', () => {
  const node = { type: 'object', properties: { a: { $ref: '#/$defs/node' } } };
  const twice = { anyOf: [{ ...node, required: ['b'] }, node], minProperties: 2 };
  const words = Array.from({ length: 10_000 }, (_, at) => `word ${at}`);

  it.each<[string, JsonSchema, Json, string]>([
    ['items to tell apart', { uniqueItems: true }, [...lists, [7]], 'at [7] and [32000]'],
    ['texts to tell apart', { uniqueItems: true }, [...words, 'word 7'], 'twice'],
    ['a long enumeration', { items: { enum: words } }, ['word'], 'and 9950 others'],
    ['a slow pattern', { pattern: `${slow}c` }, 'b'.repeat(bytes), tooMany],
    ['an exponential pattern', { pattern: '^(a+)+$' }, `${'a'.repeat(bytes / 2)}!`, 'must match'],
    ['a quintic pattern', { pattern: '^a*a*a*a*a*$' }, `${'a'.repeat(bytes)}!`, tooMany],
    ['a text that is no word', { pattern: '^[a-z]+$' }, `${'a'.repeat(bytes)}!`, 'must match'],
    ['named references', { items: { $ref: '#name9' }, ...towerOfNames(10) }, list('a'), tooMany],
    ['an endless text', { format: 'email' }, `${'a.'.repeat(bytes / 2)}@`, 'must be a valid email'],
    [
      'two ways at each level',
      { $defs: { node: twice }, $ref: '#/$defs/node' },
      depth(60),
      tooMany,
    ],
    [
      'a deep value',
      { $defs: { node }, $ref: '#/$defs/node' },
      depth(40_000),
      'is nested too deeply to check',
    ],
    ['an endless list of errors', { items: { allOf: towers() } }, list(1), 'must be a string'],
    ['a wrong key with many alike', wideObject(), { [`${'k'.repeat(90)}x`]: 1 }, 'is not allowed'],
  ])('answers in bounded time to %s', (_name, schema, value, message) => {
    const check = checkOf(schema);
    const start = process.threadCpuUsage();
    const problems = check(value);
    const { user, system } = process.threadCpuUsage(start);
    // A check without a bound takes minutes here. A slow machine, or one that counts coverage, takes a second.
    expect((user + system) / 1_000).toBeLessThan(10_000);
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });

  it('takes what is right', () => {
    expect(checkOf({ uniqueItems: true })(distinct)).toEqual([]);
    expect(checkOf({ uniqueItems: false })([1, 1])).toEqual([]);
    expect(checkOf({ items: { enum: words } })(words.slice(0, 500))).toEqual([]);
    expect(checkOf({ enum: [{ a: 1, b: [2] }] })({ b: [2], a: 1 })).toEqual([]);
  });

  it.each([
    ['members named like methods', { valueOf: 1 }, { toString: 1 }],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), { b: 1 }],
    ['another order of members', { a: 1, b: 2 }, { b: 2, a: 2 }],
  ])('tells items apart that have %s', (_name, one: Json, other: Json) => {
    const check = checkOf({ uniqueItems: true });
    expect(check([one, other])).toEqual([]);
    const message = 'must not hold an item twice, as at [0] and [2]';
    expect(check([one, other, one])).toEqual([{ path: '', message }]);
  });

  it('checks right after a check that ended', () => {
    const check = checkOf({ items: { pattern: `^(a+)+$|^${slow}c` } });
    expect(check(['b'.repeat(bytes)])).toMatchObject([{ message: tooMany }]);
    expect([check(['aaa']), check(['b'])]).toMatchObject([[], [{ path: '[0]' }]]);
  });

  it('takes a large schema', () => {
    const properties = Object.fromEntries(
      words.slice(0, 1_500).map((word) => [word, { type: 'string', maxLength: 9, enum: ['a'] }]),
    );
    const check = checkOf({ type: 'object', properties });
    expect(check({ [words[0] ?? '']: 'b' })).toHaveLength(1);
  });
});

function towerOfNames(count: number): JsonSchema {
  const levels = Array.from({ length: count }, (_, level): JsonSchema => {
    const below = { $ref: `#name${level - 1}` };
    const $anchor = `name${level}`;
    return level === 0 ? { $anchor, type: 'string' } : { $anchor, allOf: [below, { ...below }] };
  });
  return { $defs: Object.fromEntries(levels.entries()) };
}

function towers(): Json[] {
  return Array.from({ length: 900 }, (_, at) => ({ type: 'string', minLength: at }));
}

function wideObject(): JsonSchema {
  const names = Array.from({ length: 1_000 }, (_, at) => `${'k'.repeat(87)}${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, true]));
  return { type: 'object', properties, additionalProperties: false };
}
