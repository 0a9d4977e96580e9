// Pure: no server. The server and the worker are doubles.
import { ServiceError, type Client } from '@temporalio/client';
import { RunView } from '../../../../src/client/read/run-view';

/** A run that waits for an answer to q1, which it takes while its worker is asked for its state. No worker answers. */
function clientOf(): Client {
  let pending: readonly object[] = [{ inputId: 'q1', kind: 'question', question: 'Why?' }];
  const cause = Object.assign(new Error('late'), { code: 4, details: 'late', metadata: {} });
  const handle = {
    query: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      pending = [];
      throw new ServiceError('late', { cause });
    },
    describe: () => {
      const status = pending.length > 0 ? 'needs-input' : 'running';
      const memo = { longhaul: { agent: 'agent', status, pending } };
      return Promise.resolve({ memo, status: { name: 'RUNNING' } });
    },
  };
  return {
    options: { namespace: 'default' },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflow: { getHandle: () => handle },
  } as unknown as Client;
}

it('has what the server knew after the wait for a worker, not before', async () => {
  const client = clientOf();
  const handle = client.workflow.getHandle('run');
  expect((await handle.describe()).memo).toMatchObject({ longhaul: { status: 'needs-input' } });
  const view = new RunView(client, 'run');
  expect(await view.state()).toMatchObject({ status: 'running', pending: [] });
});
