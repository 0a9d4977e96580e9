import { setImmediate } from 'node:timers/promises';
import { LonghaulError } from '../../../src';
import type { Longhaul } from '../../../src/client';
import { Caller } from '../../../scripts/torture/client.mts';
import { Elsewhere } from '../../../scripts/torture/elsewhere.mts';
import type { Act } from '../../../scripts/torture/plan.mts';
import { laterResultOf } from '../../../scripts/torture/texts.mts';

const noText = { bytes: 0, deflates: true };

const actAt = (place: string): Act => ({ kind: 'later', place, size: noText, padding: noText });

describe('what happens elsewhere in a torture round', () => {
  it('gives results again, with the same tokens, once a reset forgot them', async () => {
    const wrongs: string[] = [];
    const given: unknown[] = [];
    const tokens = ['token-1', 'token-2'];
    const completeByToken = (token: string, value: unknown): Promise<void> => {
      if (tokens.includes(token)) given.push([token, value]);
      else throw new LonghaulError('TokenInvalid', 'forged');
      return Promise.resolve();
    };
    const report = (wrong: string): void => void wrongs.push(wrong);
    const [first, other] = [actAt('c2.m1.0.0'), actAt('c20.m1.0.0')];
    const elsewhere = new Elsewhere({
      longhaul: { completeByToken } as unknown as Longhaul,
      caller: new Caller(report),
      acts: new Map([first, other].map((act) => [act.place, act])),
      report,
    });
    elsewhere.take({ place: first.place, token: 'token-1' });
    elsewhere.take({ place: other.place, token: 'token-2' });
    await setImmediate();
    const results = [
      ['token-1', laterResultOf(first)],
      ['token-2', laterResultOf(other)],
    ];
    expect(given).toEqual(results);
    elsewhere.giveAgain('c2');
    await setImmediate();
    expect(given).toEqual([...results, results[0]]);
    expect(wrongs).toEqual([]);
    expect(elsewhere.forged).toBe(2);
  });
});
