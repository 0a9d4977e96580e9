// Pure: no server.
import { ServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { uninterrupted } from '../../../src/client/server/calls';

const failedPrecondition = 9;
const notFound = 5;

/** As the SDK reports an update that the server refused with a gRPC status. */
function refusal(code: number): Error {
  const cause = Object.assign(new Error(`${code}`), { code, details: '', metadata: {} });
  return new ServiceError('Workflow Update failed', { cause });
}

/** Fails with each of the errors in turn, then answers. */
function failing(...errors: Error[]) {
  const send = jest.fn(() => {
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve('taken');
  });
  return send;
}

/** What comes of it, with all pauses skipped. */
async function outcomeOf(send: () => Promise<string>): Promise<string> {
  const outcome = uninterrupted(send).catch((error: unknown) => String(error));
  await jest.runAllTimersAsync();
  return await outcome;
}

describe('uninterrupted', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('sends an update again that met a failing workflow task', async () => {
    const send = failing(refusal(failedPrecondition), refusal(failedPrecondition));
    expect(await outcomeOf(send)).toBe('taken');
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('sends an update again that a worker was given and did not look at', async () => {
    const cause = ApplicationFailure.nonRetryable('was not processed', 'UnprocessedUpdate');
    const send = failing(new WorkflowUpdateFailedError('Workflow Update failed', cause));
    expect(await outcomeOf(send)).toBe('taken');
  });

  it('gives up when it goes on like that', async () => {
    const send = failing(...Array.from({ length: 20 }, () => refusal(failedPrecondition)));
    expect(await outcomeOf(send)).toBe('ServiceError: Workflow Update failed');
    expect(send).toHaveBeenCalledTimes(10);
  });

  it('passes every other error on at once', async () => {
    const send = failing(refusal(notFound));
    expect(await outcomeOf(send)).toBe('ServiceError: Workflow Update failed');
    expect(send).toHaveBeenCalledTimes(1);
  });
});
