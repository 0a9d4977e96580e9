// Pure: no server.

import { startMemo } from '../../../../src/core/run-start';
import { memoAtStart, memoDigest } from '../../../../src/workflows/display/memo';

describe('memoAtStart', () => {
  const key = ['user-0123'];
  const shown = memoDigest({ status: 'running', pending: [], key });

  it('is what a run shows first, where it was started with its own key', () => {
    expect(memoAtStart(startMemo({ agent: 'helper', key }))).toEqual(shown);
    expect(memoAtStart(startMemo({ agent: 'helper', key: ['user-4567'] }))).not.toEqual(shown);
    expect(memoAtStart(undefined)).not.toEqual(shown);
  });

  it.each([
    { longhaul: 5 },
    { longhaul: null },
    { longhaul: { status: 'running', pending: 5, key: 5 } },
    { longhaul: { status: {}, pending: [null, 5], key: [{}] } },
  ])('takes %j from anybody, which is shown over', (memo) => {
    expect(memoAtStart(memo)).not.toEqual(shown);
  });
});
