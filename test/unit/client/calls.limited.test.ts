// Pure: no server.
import { limited } from '../../../src/client/server/calls';

describe('limited', () => {
  it('runs as much at once as it may, in the order given, and goes on after a failure', async () => {
    const run = limited(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (index: number) => async () => {
      begun.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (index === 0) throw new Error('failed');
      return index;
    };
    const results = [0, 1, 2, 3].map((index) => run(work(index)));
    const settled = Promise.allSettled(results);
    expect(begun).toEqual([0, 1]);
    for (let index = 0; index < 4; index += 1) {
      ends[index]?.();
      await results[index]?.catch(() => undefined);
    }
    expect(begun).toEqual([0, 1, 2, 3]);
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
