// Pure: no server.
import { decodePosition, encodePosition, tagOf } from '../../../../src/client/stream/position';
import { limits } from '../../../../src/protocol/limits';

const place = (index: number) => ({ index, tag: tagOf(`3f0e-aa/${index}`) });
const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a position', () => {
  it('names a place in the log of each run', () => {
    const places = new Map([
      ['run-1', place(3)],
      ['run-1.look.1.0~0123abcd', place(12)],
      ['elsewhere', place(1)],
    ]);
    const position = encodePosition('run-1', places);
    expect(position).toMatch(/^[\w-]+$/);
    expect(decodePosition('run-1', position)).toEqual(places);
  });

  it('leaves out what does not fit, but not the run itself and what moved last', () => {
    const places = new Map([['run-1', place(3)]]);
    for (let child = 0; child < 500; child += 1) places.set(`run-1.c.1.${child}~ab`, place(9));
    const position = encodePosition('run-1', places);
    expect(position.length).toBeLessThanOrEqual(limits.streamPosition);
    const read = decodePosition('run-1', position);
    expect(read.size).toBeGreaterThan(50);
    expect(read.get('run-1')).toEqual(place(3));
    expect(read.get('run-1.c.1.499~ab')).toEqual(place(9));
    expect(read.has('run-1.c.1.0~ab')).toBe(false);
  });

  const text = Buffer.from(encodePosition('run-1', new Map()), 'base64url').toString();
  const [own] = JSON.parse(text) as [string];

  it.each([
    ['a position of another run', encodePosition('run-2', new Map([['run-2', place(3)]]))],
    ['something else than text', 7],
    ['an empty text', ''],
    ['other characters', '<script>'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['another shape', encoded({ run: 1 })],
    ['no places', encoded([own])],
    ['a list of places', encoded([own, []])],
    ['more members', encoded([own, {}, 1])],
    ['an index that is a text', encoded([own, { '': ['1', 'a'] }])],
    ['an index below 1', encoded([own, { '': [0, 'a'] }])],
    ['an index that is no whole number', encoded([own, { '': [1.5, 'a'] }])],
    ['a tag that is too long', encoded([own, { '': [1, 'a'.repeat(9)] }])],
    ['a place without a tag', encoded([own, { '': [1] }])],
    ['a place that is no list', encoded([own, { '': 1 }])],
    ['a place with more members', encoded([own, { '': [1, 'a', 2] }])],
    ['too many characters', 'a'.repeat(limits.streamPosition + 1)],
  ])('is refused: %s', (_, position) => {
    expect(() => decodePosition('run-1', position)).toThrow(/^from must be the position of/);
  });
});
