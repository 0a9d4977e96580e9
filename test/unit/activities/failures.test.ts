// Pure: no server.
import { ApplicationFailure } from '@temporalio/common';
import { toFailure } from '../../../src/activities/failures';
import { LonghaulError } from '../../../src/protocol/errors';

const half = 'no city 🌍'.slice(0, -1);

describe('a failure whose text is cut in the middle of a character', () => {
  it.each([
    { name: 'an error', error: new Error(half) },
    { name: 'an error of ours', error: new LonghaulError('ToolError', half) },
    { name: "a failure of Temporal's", error: ApplicationFailure.nonRetryable(half, 'Mine') },
  ])('leaves the activity in whole characters: $name', ({ error }) => {
    const failure = toFailure(error) as ApplicationFailure;
    expect(failure.message).toBe('no city \ufffd');
    expect(failure.stack?.isWellFormed()).toBe(true);
  });

  it('keeps what else a failure says', () => {
    const failure = ApplicationFailure.create({
      message: half,
      type: 'Mine',
      nonRetryable: true,
      details: [{ city: 7 }],
      nextRetryDelay: '3s',
    });
    expect(toFailure(failure)).toMatchObject({
      type: 'Mine',
      nonRetryable: true,
      details: [{ city: 7 }],
      nextRetryDelay: '3s',
    });
  });
});
