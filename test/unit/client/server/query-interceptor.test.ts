// Pure: no server.

import { QueryNotRegisteredError } from '@temporalio/client';
import { queryInterceptor } from '../../../../src/client/server/query-interceptor';
import { taskComesFirst } from '../../../../src/core/stored-format';

const ahead = new QueryNotRegisteredError(taskComesFirst, 3);

/** Asks a worker that fails so many times before it answers. */
async function asked(failures: number, error: Error): Promise<number> {
  let times = 0;
  const next = (): Promise<number> => {
    times += 1;
    return times > failures ? Promise.resolve(times) : Promise.reject(error);
  };
  return (await queryInterceptor.query?.({} as never, next)) as number;
}

describe('a query to a worker that has read ahead', () => {
  it('is asked again', async () => {
    expect(await asked(2, ahead)).toBe(3);
  });

  it('fails if the worker stays ahead', async () => {
    await expect(asked(100, ahead)).rejects.toBe(ahead);
  });

  it('is not asked again for another reason', async () => {
    const unknown = new QueryNotRegisteredError('no such query', 3);
    await expect(asked(1, unknown)).rejects.toBe(unknown);
  });
});
