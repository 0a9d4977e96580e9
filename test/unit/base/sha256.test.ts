// Pure: no server. Node's own hash is the oracle.
import { createHash } from 'node:crypto';
import { sha256 } from '../../../src/base/sha256';

describe('sha256', () => {
  it('is what everybody computes, at every length around a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode((at * 31) % 128)).join('');
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }
  });
});
