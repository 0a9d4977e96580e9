// Pure: no server.

import { QueryNotRegisteredError } from '@temporalio/client';
import { ofNewerVersion, taskFailedHere } from '../../../../src/core/stored-format';
import { taskComesFirst } from '../../../../src/protocol/names';
import { askedAgain } from '../../../../src/activities/log/read-log';
import { timeouts } from '../../../../src/protocol/limits';

const { signal } = new AbortController();
/** As the client throws it: what the server said is the cause. */
const refused = (code: number) =>
  new Error('Failed to query Workflow', { cause: Object.assign(new Error('refused'), { code }) });

describe('a question to a run', () => {
  it.each([
    ['no worker answers in time', 4],
    ['the server has too much to do', 8],
    ['no worker polls', 9],
    ['the server is away', 14],
  ])('is asked again while %s', async (_reason, code) => {
    let asked = 0;
    const answer = await askedAgain(async () => {
      asked += 1;
      if (asked === 1) throw refused(code);
      return 'there';
    }, signal);
    expect([answer, asked]).toEqual(['there', 2]);
  });

  it.each([
    ['cannot replay the run', '[TMPRL1100] Nondeterminism error: no such command'],
    ['knows only an older format', ofNewerVersion('The stored plan has format 2').message],
    ['has just failed to go on with the run', taskFailedHere],
    ['has read ahead of the run', taskComesFirst],
  ])('is asked again while the worker that answers %s', async (_reason, message) => {
    let asked = 0;
    const answer = await askedAgain(async () => {
      asked += 1;
      if (asked === 1) throw new QueryNotRegisteredError(message, 3);
      return 'there';
    }, signal);
    expect([answer, asked]).toEqual(['there', 2]);
  });

  it.each([
    ['that no worker understands', refused(3)],
    ['to a run that is gone', refused(5)],
    ['that failed without a word of the server', new Error('it broke')],
  ])('%s is not asked again', async (_question, error) => {
    let asked = 0;
    const asking = askedAgain(async () => {
      asked += 1;
      throw error;
    }, signal);
    await expect(asking).rejects.toBe(error);
    expect(asked).toBe(1);
  });

  it('ends with the last refusal when the activity is told to stop', async () => {
    const stopping = new AbortController();
    const error = refused(14);
    const asking = askedAgain(async () => {
      queueMicrotask(() => stopping.abort());
      throw error;
    }, stopping.signal);
    await expect(asking).rejects.toBe(error);
  });

  it('ends with the last refusal when its time is up', async () => {
    let [now, asked] = [0, 0];
    const error = refused(14);
    const asking = askedAgain(
      async () => {
        asked += 1;
        if (asked === 2) now = timeouts.askAgain;
        throw error;
      },
      signal,
      () => now,
    );
    await expect(asking).rejects.toBe(error);
    expect(asked).toBe(2);
  });
});
