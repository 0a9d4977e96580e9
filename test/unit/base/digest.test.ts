// Pure: no server.
import { emptyDigest, extendDigest } from '../../../src/base/digest';

const digestOf = (...ids: string[]): string => ids.reduce(extendDigest, emptyDigest);

describe('extendDigest', () => {
  it('gives 16 hex characters, the same every time', () => {
    expect(digestOf('a')).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf('a', 'b')).toBe(digestOf('a', 'b'));
    expect(emptyDigest).toMatch(/^[0-9a-f]{16}$/);
  });

  it('never changes: digests are compared between versions', () => {
    expect(digestOf('run-1/0', 'run-1/1')).toBe('f777e08b0cab762a');
  });

  it.each([
    { name: 'order', left: ['a', 'b'], right: ['b', 'a'] },
    { name: 'where ids end', left: ['ab', 'c'], right: ['a', 'bc'] },
    { name: 'repetition', left: ['a'], right: ['a', 'a'] },
    { name: 'empty ids', left: [''], right: [] },
  ])('tells $name apart', ({ left, right }) => {
    expect(digestOf(...left)).not.toBe(digestOf(...right));
  });

  it('meets no collision among many logs that differ little', () => {
    const seen = new Set<string>();
    let rolling = emptyDigest;
    for (let entry = 0; entry < 20_000; entry += 1) {
      seen.add(extendDigest(emptyDigest, `run/${entry}`));
      rolling = extendDigest(rolling, 'run/0');
      seen.add(rolling);
    }

    expect(seen.size).toBe(39_999);
  });

  it('changes about half of its bits when one character changes', () => {
    const bits = (digest: string): string =>
      [...digest].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
    let flipped = 0;
    for (let entry = 0; entry < 500; entry += 1) {
      const left = bits(digestOf(`run/${entry}/a`, 'x'));
      const right = bits(digestOf(`run/${entry}/b`, 'x'));
      flipped += [...left].filter((bit, at) => bit !== right[at]).length;
    }

    expect(flipped / 500).toBeGreaterThan(29);
    expect(flipped / 500).toBeLessThan(35);
  });
});
