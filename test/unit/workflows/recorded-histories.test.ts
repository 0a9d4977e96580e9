// Pure: no server. Reads the source, to see whether the recorded histories are of this code.
import { resolve } from 'node:path';
import {
  covers,
  guardedHash,
  readManifest,
  type Manifest,
} from '../../../scripts/record-histories/manifest.mts';

const project = resolve(__dirname, '../../..');

const advice = [
  'src/{base,protocol,core,workflows} changed since the histories of test/fixtures/histories were recorded.',
  'If a workflow now does something else than before: guard it by patched() and run `node scripts/record-histories.mjs`.',
  'If it does the same: `node scripts/record-histories.mjs --neutral "<why>"`.',
].join('\n');

describe('the recorded histories', () => {
  it('are of the code as it is, or the change was marked as neutral', () => {
    const isCovered = covers(readManifest(project), guardedHash(project));
    expect(isCovered ? '' : advice).toBe('');
  });

  it('say why each change since was neutral', () => {
    const { hash, neutral } = readManifest(project);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const mark of neutral) {
      expect(mark).toEqual({
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        reason: expect.stringMatching(/\S.{9}/) as string,
      });
    }
  });
});

describe('covers', () => {
  const manifest: Manifest = { hash: 'a', neutral: [{ hash: 'b', reason: 'a comment' }] };

  it.each([
    { name: 'what was recorded', current: 'a', expected: true },
    { name: 'what was marked', current: 'b', expected: true },
    { name: 'anything else', current: 'c', expected: false },
  ])('takes $name: $expected', ({ current, expected }) => {
    expect(covers(manifest, current)).toBe(expected);
  });
});
