// Pure: no server.
import type { JsonObject } from '../../../src/base/json';
import { mergeExtra } from '../../../src/providers/merge-extra';

describe('mergeExtra', () => {
  it.each<[string, JsonObject, JsonObject | undefined, JsonObject]>([
    ['nothing', { a: 1 }, undefined, { a: 1 }],
    ['a new field', { a: 1 }, { top_p: 0.5 }, { a: 1, top_p: 0.5 }],
    ['a field that is set', { a: 1 }, { a: 2 }, { a: 2 }],
    [
      'an object',
      { text: { format: 1 } },
      { text: { verbosity: 'low' } },
      { text: { format: 1, verbosity: 'low' } },
    ],
    ['a list', { tools: [1] }, { tools: [2] }, { tools: [1, 2] }],
    ['null', { store: false, a: 1 }, { store: null }, { a: 1 }],
    ['an object over a value', { a: 1 }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
  ])('merges %s', (_name, body, extra, expected) => {
    expect(mergeExtra(body, extra)).toEqual(expected);
  });

  it('leaves the body it was given alone', () => {
    const body = { text: { format: 1 } };
    mergeExtra(body, { text: { format: 2 } });

    expect(body).toEqual({ text: { format: 1 } });
  });

  it('does not touch the prototype', () => {
    const extra = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
    const merged = mergeExtra({ a: 1 }, extra);

    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
