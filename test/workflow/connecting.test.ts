// Clients and workers that cannot reach their namespace, on the dev server: they say so soon.

import { connect } from '../../src/client';
import { createWorker } from '../../src/worker';
import { devServerAddress } from '../servers';

describe('connecting', () => {
  it('names a namespace that does not exist, to clients and workers', async () => {
    const expected = { code: 'ServerUnavailable', details: { namespace: 'nowhere' } };
    const options = { address: devServerAddress(), namespace: 'nowhere' };
    await Promise.all([
      expect(connect(options)).rejects.toMatchObject(expected),
      expect(createWorker(options)).rejects.toMatchObject(expected),
    ]);
  });

  it('says soon that the server is down', async () => {
    await expect(connect({ address: '127.0.0.1:1' })).rejects.toMatchObject({
      code: 'ServerUnavailable',
    });
  });
});
