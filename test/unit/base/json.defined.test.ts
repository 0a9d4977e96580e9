// Pure: no server.
import { defined } from '../../../src/base/json';

describe('defined', () => {
  it('leaves out members that are undefined, and no others, in their order', () => {
    const members = defined({ z: 0, a: undefined, m: null, b: '' });
    expect(JSON.stringify(members)).toBe('{"z":0,"m":null,"b":""}');
    expect(Object.keys(members)).not.toContain('a');
  });
});
