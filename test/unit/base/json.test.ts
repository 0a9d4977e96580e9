// Pure: no server.
import { deepFreeze } from '../../../src/base/json';

describe('deepFreeze', () => {
  it('freezes plain data all the way down', () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(() => Object.assign(value.a[0] ?? {}, { b: 2 })).toThrow(TypeError);
    expect(() => value.a.push({ b: 2 })).toThrow(TypeError);
  });
});
