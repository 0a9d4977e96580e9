import type { JsonObject } from '../base/json';
import { limits } from '../protocol/limits';

const deep = 150;

/** States a store gives back as they were. */
export const faithfulStates: Readonly<Record<string, JsonObject>> = {
  'an empty state': {},
  'every kind of value': {
    text: 'Oslo',
    empty: '',
    yes: true,
    no: false,
    nothing: null,
    list: [1, [2, []], {}],
    nested: { a: { b: { c: [null] } } },
  },
  'numbers to the last digit': {
    numbers: [0, -1, 0.1, 1e-7, 1e21, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER],
  },
  'text of all scripts': { text: 'Zoë – 東京 – שלום – 👩‍👩‍👧 – \u{10ffff}', 'ключ 🔑': 'é\u0301' },
  'control characters and quotes': { text: '\u0000\b\t\n\r\u001f\u007f\u2028"\'\\/%?$1' },
  'keys that databases and languages know': {
    '': 0,
    ' ': 1,
    'a.b': 2,
    'a"b': 3,
    $where: 4,
    __reserved: 5,
    toString: 6,
    hasOwnProperty: 7,
    length: 8,
  },
  'a deep state': nested(deep),
  'a state of 64 KiB': { text: 'x'.repeat(limits.session - '{"text":""}'.length) },
};

/** States a store refuses: they would come back as something else. Made anew for each use. */
export const refusedStates: Readonly<Record<string, () => unknown>> = {
  NaN: () => ({ number: Number.NaN }),
  Infinity: () => ({ list: [Number.POSITIVE_INFINITY] }),
  'a Date': () => ({ at: new Date(0) }),
  'a Map': () => ({ map: new Map() }),
  'a BigInt': () => ({ big: 1n }),
  'a function': () => ({ call: () => undefined }),
  undefined: () => ({ nothing: undefined }),
  'what contains itself': () => {
    const state: Record<string, unknown> = {};
    state['self'] = { state };
    return state;
  },
  'a list in place of a state': () => [1],
  'a text in place of a state': () => 'state',
  'null in place of a state': () => null,
  'the key __proto__': () => JSON.parse('{"a":{"__proto__":{"admin":true}}}') as unknown,
  'the key constructor': () => ({ constructor: 1 }),
  'the key prototype': () => ({ a: [{ prototype: 1 }] }),
};

function nested(levels: number): JsonObject {
  let state: JsonObject = { end: true };
  for (let level = 1; level < levels; level += 1) state = { in: state };
  return state;
}
