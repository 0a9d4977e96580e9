// Pure: no server.
import { ApplicationFailure } from '@temporalio/common';
import { describeError, toFailure } from '../../../src/activities/failures';
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

describe('the cause of a failure', () => {
  const chainOf = (error: unknown): readonly string[] => {
    const messages: string[] = [];
    for (let next = error; next instanceof Error; next = next.cause) messages.push(next.message);
    return messages;
  };

  it('is what the code threw, without a type and without stacks', () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED ::1:1') });
    const error = new LonghaulError('ToolError', 'no weather', { cause });
    const failure = toFailure(error) as ApplicationFailure;
    expect(chainOf(failure)).toEqual(['no weather', 'fetch failed', 'connect ECONNREFUSED ::1:1']);
    expect(failure).toMatchObject({ type: 'ToolError', stack: '', cause: { stack: '' } });
    expect(failure.cause).not.toHaveProperty('type');
  });

  it('of an unknown error is the error itself', () => {
    expect(chainOf(toFailure(new TypeError('a bug')))).toEqual(['TypeError: a bug', 'a bug']);
  });

  it('has no credentials, and as many bytes as a message has', () => {
    const cause = new Error('password=hunter2secret', { cause: new Error('x'.repeat(5_000)) });
    const messages = chainOf(toFailure(new LonghaulError('ToolError', 'failed', { cause })));
    expect(messages[1]).toBe('password=[redacted]');
    expect(messages.slice(1).join('').length).toBeLessThanOrEqual(2_048);
  });

  it("of a failure of Temporal's ends where it would go in a circle", () => {
    const cause = new Error('one');
    cause.cause = cause;
    const thrown = ApplicationFailure.create({ message: 'mine', type: 'Mine', cause });
    expect(chainOf(toFailure(thrown))).toEqual(['mine', 'one']);
  });
});

describe('the description of an error', () => {
  it.each([
    {
      name: 'ends with its innermost cause',
      error: new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED ::1:1') }),
      text: 'TypeError: fetch failed: connect ECONNREFUSED ::1:1',
    },
    {
      name: 'is that of Longhaul alone',
      error: new LonghaulError('ToolError', 'no order 7', { cause: new Error('secret rows') }),
      text: 'ToolError: no order 7',
    },
    { name: 'is never empty', error: new Error(''), text: 'an error without a message' },
  ])('$name', ({ error, text }) => {
    expect(describeError(error)).toBe(text);
  });
});
