// Pure: no database.

import { decodeState, encodeState } from '../../../../src/stores/state/state-text';
import { faithfulStates, refusedStates } from '../../../../src/testing/state-store-contract';

describe('a state as text', () => {
  it.each(Object.entries(faithfulStates))('gives back %s', (_name, state) => {
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it.each(Object.entries(refusedStates))('refuses %s', (_name, makeState) => {
    expect(() => encodeState(makeState())).toThrow(
      expect.objectContaining({ code: 'StoreError', retryable: false }) as Error,
    );
  });

  it.each([
    { name: 'a number', state: { a: [0, { b: NaN }] }, problem: " at 'a[1].b': NaN is not JSON" },
    {
      name: 'a date',
      state: { 'last seen': new Date(0) },
      problem: ` at '["last seen"]': a Date object is not JSON`,
    },
    {
      name: 'a hole',
      state: { list: new Array(1) },
      problem: " at 'list[0]': a value of type undefined is not JSON",
    },
    {
      name: 'a symbol',
      state: { a: { [Symbol('b')]: 1 } },
      problem: " at 'a': a symbol as a key is not JSON",
    },
    {
      name: 'what says how it is shown',
      state: { a: { toJSON: () => 1 } },
      problem: " at 'a': it has a toJSON",
    },
    {
      name: 'a key of all objects',
      state: JSON.parse('{"a":{"__proto__":1}}') as object,
      problem: " at 'a.__proto__': the key is reserved",
    },
    { name: 'no object', state: [1], problem: ': it must be an object' },
  ])('says where $name stands', ({ state, problem }) => {
    expect(() => encodeState(state)).toThrow(`the state is not a JSON object${problem}`);
  });

  it('takes an object that stands in two places', () => {
    const shared = { city: 'Oslo' };
    expect(encodeState({ from: shared, to: [shared] })).toBe(
      '{"from":{"city":"Oslo"},"to":[{"city":"Oslo"}]}',
    );
  });

  it('refuses what is nested so deep that it cannot be written', () => {
    let state: unknown = {};
    for (let level = 0; level < 100_000; level += 1) state = { state };
    expect(() => encodeState(state)).toThrow(
      'the state is not a JSON object: it is nested too deep',
    );
  });

  it.each(['', '{', 'null', '[]', '"text"', '{"__proto__":{}}'])(
    'refuses the damaged text %j',
    (text) => {
      expect(() => decodeState(text)).toThrow(
        expect.objectContaining({ code: 'StoreError', retryable: false }) as Error,
      );
    },
  );
});
