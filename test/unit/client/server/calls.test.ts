// Pure: no server.

import { ServiceError as WrappedServiceError } from '@temporalio/client';
import { patiently } from '../../../../src/client/server/calls';
import { asLonghaulError } from '../../../../src/client/server/failures';

const unavailable = 14;
const refused = 8;

function grpcError(code: number, details = 'from the server'): Error {
  const cause = Object.assign(new Error(details), { code, details, metadata: {} });
  return new WrappedServiceError('the call failed', { cause });
}

/** Fails as told, time after time; counts the asking, and the time that passes in pauses. */
function asked(failures: (time: number) => Error | undefined): {
  readonly answer: () => Promise<string>;
  readonly seen: { times: number; ms: number };
} {
  const seen = { times: 0, ms: 0 };
  const ask = (): Promise<string> => {
    seen.times += 1;
    const failure = failures(seen.times);
    return failure === undefined ? Promise.resolve('answer') : Promise.reject(failure);
  };
  const clock = {
    now: () => seen.ms,
    pause: (ms: number) => {
      seen.ms += ms;
      return Promise.resolve();
    },
  };
  return { seen, answer: () => patiently(ask, clock) };
}

describe('who waits', () => {
  it('asks again while the server refuses, however long', async () => {
    const { answer, seen } = asked((time) => (time <= 1_000 ? grpcError(refused) : undefined));
    await expect(answer()).resolves.toBe('answer');
    expect(seen.times).toBe(1_001);
    expect(seen.ms).toBeGreaterThan(30 * 60_000);
  });

  it.each([
    { code: unavailable },
    { code: 1, details: 'context canceled' },
    { code: 4, details: 'context deadline exceeded' },
    { code: 10 },
  ])('outlives a server that is away with $code $details', async ({ code, details }) => {
    const { answer, seen } = asked((time) => (time <= 20 ? grpcError(code, details) : undefined));
    await expect(answer()).resolves.toBe('answer');
    expect(seen.times).toBe(21);
  });

  it('gives up after five minutes in which nobody answers', async () => {
    const { answer, seen } = asked(() => grpcError(unavailable));
    const error: unknown = await answer().catch((thrown: unknown) => thrown);
    expect(asLonghaulError(error)).toMatchObject({ code: 'ServerUnavailable', retryable: true });
    expect(seen.ms).toBeGreaterThanOrEqual(5 * 60_000);
    expect(seen.ms).toBeLessThan(5 * 60_000 + 10_000);
  });

  it('counts silence anew after the server was heard', async () => {
    const { answer } = asked((time) => {
      if (time === 151) return undefined;
      return grpcError(time % 30 === 0 ? refused : unavailable);
    });
    await expect(answer()).resolves.toBe('answer');
  });

  it.each([
    { code: 1, details: 'Cancelled on client' },
    { code: 1, details: 'the connection was closed' },
    { code: 4, details: 'Deadline exceeded after 1.0s' },
    { code: refused, details: 'Received message larger than max (5 vs. 4)' },
    { code: 3 },
    { code: 7 },
  ])('takes $code $details as the answer', async ({ code, details }) => {
    const { answer, seen } = asked(() => grpcError(code, details));
    const error: unknown = await answer().catch((thrown: unknown) => thrown);
    expect(seen.times).toBe(1);
    expect(asLonghaulError(error).code).toMatch(/^(ServerUnavailable|InvalidInput)$/);
  });
});
