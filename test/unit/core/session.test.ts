// Pure: no server.
import fc from 'fast-check';
import {
  checkExactJson,
  checkJson,
  mergeDelta,
  sameJson,
  sessionDelta,
  violationText,
} from '../../../src/core/session';
import type { JsonObject } from '../../../src/base/json';

class Money {
  readonly amount = 1;
}

function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const cycle: Record<string, unknown> = {};
cycle['self'] = { again: cycle };
const twice = { a: 1 };

describe('checkExactJson', () => {
  it.each([
    { name: '-0', value: { a: [-0] }, path: 'a[0]', problem: '-0 is not JSON' },
    { name: 'half a character', value: ['a', 'b\udc00'], path: '[1]', problem: 'surrogate pair' },
    {
      name: 'a key of half a character',
      value: { '\ud83d': 1 },
      path: '["\\ud83d"]',
      problem: 'pair',
    },
  ])('refuses $name, which would become another value', ({ value, path, problem }) => {
    expect(checkExactJson(value)).toEqual({ path, problem: expect.stringContaining(problem) });
    expect(checkJson(value)).toBeUndefined();
  });

  it('takes whole characters beyond 16 bits, and 0', () => {
    expect(checkExactJson({ '😀': ['😀', 0] })).toBeUndefined();
  });

  it('names a path only where there is one', () => {
    expect(violationText({ path: '', problem: 'no' })).toBe(': no');
    expect(violationText({ path: 'a.b', problem: 'no' })).toBe(" at 'a.b': no");
  });
});

describe('checkJson', () => {
  it.each([
    null,
    true,
    '',
    0,
    -0,
    1e300,
    [],
    {},
    { a: [{ b: null }] },
    Object.create(null),
    [twice, twice],
    nested(200),
  ])('accepts %j', (value) => {
    expect(checkJson(value)).toBeUndefined();
  });

  it.each([
    {
      name: 'undefined',
      value: undefined,
      path: '',
      problem: 'a value of type undefined is not JSON',
    },
    {
      name: 'undefined inside',
      value: { a: { b: undefined } },
      path: 'a.b',
      problem: 'a value of type undefined is not JSON',
    },
    {
      name: 'a hole',
      value: [1, , 2],
      path: '[1]',
      problem: 'a value of type undefined is not JSON',
    },
    { name: 'NaN', value: { a: [Number.NaN] }, path: 'a[0]', problem: 'NaN is not JSON' },
    {
      name: 'Infinity',
      value: Number.NEGATIVE_INFINITY,
      path: '',
      problem: '-Infinity is not JSON',
    },
    {
      name: 'a BigInt',
      value: { n: 1n },
      path: 'n',
      problem: 'a value of type bigint is not JSON',
    },
    {
      name: 'a function',
      value: { 'a b': () => 1 },
      path: '["a b"]',
      problem: 'a value of type function is not JSON',
    },
    {
      name: 'a symbol',
      value: [Symbol('x')],
      path: '[0]',
      problem: 'a value of type symbol is not JSON',
    },
    {
      name: 'a symbol as a key',
      value: { a: { [Symbol('x')]: 1 } },
      path: 'a',
      problem: 'a symbol as a key is not JSON',
    },
    {
      name: 'a Date',
      value: { at: new Date(0) },
      path: 'at',
      problem: 'a Date object is not JSON',
    },
    { name: 'a Map', value: { m: new Map() }, path: 'm', problem: 'a Map object is not JSON' },
    { name: 'a Set', value: new Set(), path: '', problem: 'a Set object is not JSON' },
    {
      name: 'an instance',
      value: [new Money()],
      path: '[0]',
      problem: 'a Money object is not JSON',
    },
    {
      name: 'an object of no known class',
      value: Object.create(Object.create({ constructor: 7 }) as object),
      path: '',
      problem: 'a class object is not JSON',
    },
    { name: 'a cycle', value: cycle, path: 'self.again', problem: 'the value contains itself' },
    {
      name: 'too deep a value',
      value: nested(201),
      path: '[0]'.repeat(200),
      problem: 'the value is nested more than 200 levels deep',
    },
    {
      name: '__proto__',
      value: JSON.parse('{"a":{"__proto__":1}}') as unknown,
      path: 'a.__proto__',
      problem: 'the key "__proto__" is reserved',
    },
    {
      name: 'constructor',
      value: { constructor: 1 },
      path: 'constructor',
      problem: 'the key "constructor" is reserved',
    },
    {
      name: 'prototype',
      value: [{ prototype: 1 }],
      path: '[0].prototype',
      problem: 'the key "prototype" is reserved',
    },
  ])('refuses $name with its path', ({ value, path, problem }) => {
    expect(checkJson(value)).toEqual({ path, problem });
  });

  it('starts the path where the caller says', () => {
    expect(checkJson({ a: [undefined] }, 'session')).toMatchObject({ path: 'session.a[0]' });
  });
});

describe('sessionDelta and mergeDelta', () => {
  it.each<{ name: string; before: JsonObject; after: JsonObject; delta: object }>([
    {
      name: 'nothing',
      before: { a: [1, { b: 2 }] },
      after: { a: [1, { b: 2 }] },
      delta: { set: {}, removed: [] },
    },
    {
      name: 'another order of keys',
      before: { a: { x: 1, y: 2 } },
      after: { a: { y: 2, x: 1 } },
      delta: { set: {}, removed: [] },
    },
    {
      name: 'a changed, an added and a removed key',
      before: { a: 1, b: 2, c: 3 },
      after: { a: 1, b: 4, d: 5 },
      delta: { set: { b: 4, d: 5 }, removed: ['c'] },
    },
    {
      name: 'a change deep inside',
      before: { a: { b: [1] } },
      after: { a: { b: [2] } },
      delta: { set: { a: { b: [2] } }, removed: [] },
    },
    {
      name: 'reserved keys',
      before: { __a: 1, __b: 2 },
      after: { __a: 2, __c: 3 },
      delta: { set: {}, removed: [] },
    },
    {
      name: 'a key named like an inherited one',
      before: {},
      after: { toString: 'x' },
      delta: { set: { toString: 'x' }, removed: [] },
    },
  ])('notes $name', ({ before, after, delta }) => {
    expect(sessionDelta(before, after)).toEqual(delta);
  });

  it('merges into a new session', () => {
    const session = { a: 1, b: 2, __run: 3 };

    expect(mergeDelta(session, { set: { b: 4, c: 5 }, removed: ['a'] })).toEqual({
      b: 4,
      c: 5,
      __run: 3,
    });
    expect(session).toEqual({ a: 1, b: 2, __run: 3 });
  });

  it('never merges reserved keys', () => {
    const set = JSON.parse(
      '{"__proto__":{"polluted":1},"__run":9,"constructor":1,"prototype":2,"ok":3}',
    ) as JsonObject;

    const merged = mergeDelta({ __run: 3 }, { set, removed: ['__run'] });

    expect(merged).toEqual({ __run: 3, ok: 3 });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('turns one session into any other', () => {
    const key = fc
      .string()
      .filter((name) => !name.startsWith('__') && !['constructor', 'prototype'].includes(name));
    const session = fc.dictionary(key, fc.jsonValue() as fc.Arbitrary<never>);
    fc.assert(
      fc.property(session, session, (before, after) => {
        expect(sameJson(mergeDelta(before, sessionDelta(before, after)), after)).toBe(true);
      }),
      { seed: 20_261_121, numRuns: 200 },
    );
  });
});

describe('sameJson', () => {
  it.each([
    { left: 1, right: '1' },
    { left: null, right: {} },
    { left: [], right: {} },
    { left: [1], right: [1, 2] },
    { left: { a: 1 }, right: { b: 1 } },
    { left: { a: 1 }, right: { a: 1, b: 2 } },
    { left: { length: 0 }, right: [] },
  ])('tells $left from $right', ({ left, right }) => {
    expect(sameJson(left, right)).toBe(false);
    expect(sameJson(right, left)).toBe(false);
  });
});
