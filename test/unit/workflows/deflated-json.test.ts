// Pure: no server.
import { deflateSync } from 'fflate';
import { limits } from '../../../src/protocol/limits';
import { deflateJson, inflateJson, inflated } from '../../../src/workflows/deflated-json';
import { thrown } from '../core/builders';

/** Three bytes to the character, and some that do not compress: more than one step of inflating. */
const text = Array.from({ length: 60_000 }, (_, at) => `€${(at * 2_654_435_761) % 99_991}`).join(
  '',
);

describe('what travels deflated', () => {
  it.each([{ value: {} }, { value: [] }, { value: { text, nested: [{ text }] } }])(
    'is read as it was',
    ({ value }) => {
      expect(inflated(deflateJson(value), 'x')).toEqual(value);
    },
  );

  it('is read up to the limit, and not a byte more', () => {
    const value = { text: 'x'.repeat(1_000_000) };
    const bytes = deflateJson(value);
    const { length } = JSON.stringify(value);
    expect(inflateJson(bytes, length)).toEqual(value);
    expect(() => inflateJson(bytes, length - 1)).toThrow(`more than ${length - 1} bytes inflated`);
  });

  it('stops a bomb while it grows', () => {
    const bomb = deflateSync(new Uint8Array(100_000_000));
    expect(bomb.length).toBeLessThan(200_000);
    expect(thrown(() => inflated(bomb, 'the state'))).toMatchObject({
      code: 'StateError',
      message: `the state cannot be read: more than ${limits.inflated} bytes inflated`,
    });
  });

  it.each<{ name: string; bytes: unknown }>([
    { name: 'a text', bytes: 'x' },
    { name: 'nothing', bytes: undefined },
    { name: 'no bytes at all', bytes: new Uint8Array() },
    { name: 'bytes that are not deflated', bytes: new Uint8Array([1, 2, 3, 4]) },
    { name: 'bytes that were cut', bytes: deflateJson({ text }).subarray(0, 9_000) },
    { name: 'deflated bytes that are not JSON', bytes: deflateSync(new Uint8Array([123])) },
    { name: 'a number', bytes: deflateJson(7) },
    { name: 'null', bytes: deflateJson(null) },
  ])('is a typed error when it is $name', ({ bytes }) => {
    expect(thrown(() => inflated(bytes, 'the state'))).toMatchObject({ code: 'StateError' });
  });
});
