// Pure: no server.
import { z } from 'zod';
import { validateWithStandardSchema } from '../../../src/spec/validate-arguments';
import { TookTooLong, withinTime } from '../../../src/spec/within-time';

describe('withinTime', () => {
  it('gives what the work gives, and throws what it throws', () => {
    expect(withinTime(500, () => [1])).toEqual([1]);
    const error = new RangeError('no');
    expect(() =>
      withinTime(500, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('stops work that does not end, wherever it is', () => {
    expect(() =>
      withinTime(20, () => {
        for (;;) /^a*a*a*a*a*$/.test(`${'a'.repeat(500)}!`);
      }),
    ).toThrow(TookTooLong);
    expect(withinTime(500, () => 1)).toBe(1);
  });

  it('does not hold what it was given to do', () => {
    let left = true;
    expect(withinTime(20, () => withinTime(500, () => left))).toBe(true);
    left = false;
    expect(withinTime(500, () => left)).toBe(false);
  });
});

describe('validateWithStandardSchema', () => {
  it('stops a schema that does not end, and takes one that waits', async () => {
    const endless = z.string().refine((text) => /^a*a*a*a*a*$/.test(text));
    const waiting = z.string().refine(async (text) => Promise.resolve(text.length > 1));
    expect(await validateWithStandardSchema(endless)(`${'a'.repeat(5_000)}!`)).toEqual({
      ok: false,
      problems: [{ path: '', message: expect.stringContaining('took more than 500 ms') }],
    });
    expect(await validateWithStandardSchema(endless)('aaa')).toEqual({ ok: true, value: 'aaa' });
    expect(await validateWithStandardSchema(waiting)('ab')).toEqual({ ok: true, value: 'ab' });
    expect(await validateWithStandardSchema(waiting)('a')).toMatchObject({ ok: false });
  });
});
