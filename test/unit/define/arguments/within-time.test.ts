// Pure: no server.
import { TookTooLong, withinTime } from '../../../../src/define/arguments/within-time';

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
