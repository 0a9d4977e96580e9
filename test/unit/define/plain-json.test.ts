// Pure: no server.
import { runInNewContext } from 'node:vm';
import { toPlainJson } from '../../../src/define/plain-json';

class Money {
  readonly amount = 1;
}

function cyclic(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function nested(levels: number): unknown {
  return levels === 0 ? 'deep' : [nested(levels - 1)];
}

describe('toPlainJson', () => {
  it('copies JSON and leaves out members that are undefined', () => {
    const value = { a: [1, 'x', null, true], b: { c: undefined }, d: -0 };
    const result = toPlainJson(value);
    expect(result).toEqual({ ok: true, value: { a: [1, 'x', null, true], b: {}, d: 0 } });
    expect(Object.keys((result as unknown as { value: { b: object } }).value.b)).toEqual([]);
  });

  it('takes plain objects of other realms', () => {
    expect(toPlainJson(runInNewContext('({ a: [{ b: 1 }] })'))).toEqual({
      ok: true,
      value: { a: [{ b: 1 }] },
    });
  });

  it('takes a value that stands in two places', () => {
    const shared = { a: 1 };
    expect(toPlainJson([shared, shared])).toEqual({ ok: true, value: [{ a: 1 }, { a: 1 }] });
  });

  it.each([
    ['NaN', { a: [NaN] }, 'a[0]', 'must be JSON, not NaN'],
    ['Infinity', Infinity, '', 'must be JSON, not Infinity'],
    ['a Date', { when: new Date(0) }, 'when', 'must be JSON, not a Date'],
    ['a Map', { 'a b': new Map() }, '["a b"]', 'must be JSON, not a Map'],
    ['an instance', [new Money()], '[0]', 'must be JSON, not a Money'],
    ['a BigInt', 1n, '', 'must be JSON, not a bigint'],
    ['a function', { f: () => 1 }, 'f', 'must be JSON, not a function'],
    ['undefined in an array', [undefined], '[0]', 'must be JSON, not undefined'],
    ['a cycle', cyclic(), 'self', 'must be JSON, but it contains itself'],
    [
      'the prototype as a key',
      { a: JSON.parse('{"__proto__":{}}') },
      'a',
      "must not have the key '__proto__'",
    ],
    ['deep nesting', nested(101), '[0]'.repeat(100), 'is nested more than 100 levels deep'],
  ])('refuses %s', (_name, value, path, message) => {
    expect(toPlainJson(value)).toEqual({ ok: false, problem: { path, message } });
  });
});
