// Pure: no server.
import { createHash } from 'node:crypto';
import { shapeProblem } from '../../../src/base/check-shape';
import { keyHashes } from '../../../src/core/key-hashes';
import { lineageShape } from '../../../src/protocol/run';

describe('keyHashes', () => {
  it('never changes: runs that wait for years are looked up by it', () => {
    const hash = (name: string, value: string): string =>
      createHash('sha256').update(`["longhaul key","${name}",${value}]`).digest('hex').slice(0, 32);
    expect(keyHashes({ userId: 'ada', appName: 'shop', sessionId: 'é😀' })).toEqual([
      `app-${hash('appName', '"shop"')}`,
      `user-${hash('userId', '"ada"')}`,
      `session-${hash('sessionId', String.raw`"\u00e9\ud83d\ude00"`)}`,
    ]);
  });

  it('tells members and values apart', () => {
    const values = ['a', 'A', 'a ', '"', 'a","b', '\\u0061', '\ud800', '\ud801', '\ufffd', '\0'];
    const entries = values.flatMap((value) =>
      keyHashes({ appName: value, userId: value, sessionId: value, tenant: value }),
    );
    expect(new Set(entries).size).toBe(4 * values.length);
    const hashes = entries.map((entry) => entry.replace(/^[a-z]+-/, ''));
    expect(new Set(hashes).size).toBe(hashes.length);
    const { items } = lineageShape.properties.key;
    expect(entries.every((entry) => shapeProblem(items ?? {}, entry) === undefined)).toBe(true);
  });

  it('says nothing of what is not named', () => {
    expect(keyHashes(undefined)).toEqual([]);
    expect(keyHashes({ userId: '' })).toEqual([]);
    expect(keyHashes(JSON.parse('{"userId":null,"appName":5}') as object)).toEqual([]);
  });
});
