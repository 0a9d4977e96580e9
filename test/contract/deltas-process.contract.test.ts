// Pure: no server.
import { ProcessDeltas } from '../../src/stores/deltas/process-deltas';
import { checkClose, deltasContract } from './deltas-contract';

describe('ProcessDeltas', () => {
  const shared = new ProcessDeltas();
  afterAll(() => shared.close());

  it.each(deltasContract(() => ({ worker: shared, reader: shared })))(
    '$name',
    async ({ run }) => await run(),
  );

  it('closes', async () => {
    const deltas = new ProcessDeltas();
    await checkClose({ worker: deltas, reader: deltas });
  });
});
