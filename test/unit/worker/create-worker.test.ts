// Pure: no server.
import { createWorker } from '../../../src/worker';

describe('createWorker', () => {
  it.each([{ connection: { address: '127.0.0.1:7233' } }, { connection: null }])(
    'says what a connection is, before anything starts: $connection',
    async ({ connection }) => {
      await expect(createWorker({ connection: connection as never })).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining('createWorker({ address })') as string,
      });
    },
  );
});
