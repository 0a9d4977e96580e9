// Pure: the server is played by an object, for a moment that a real one shows for a millisecond only.

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { nextEvent } from '../../../src/testing/skip-time';

/** Knows one run, which has the given child; describing anything else fails as on a server. */
function serverWith(workflowId: string, childId: string): Client {
  const description = {
    status: { name: 'RUNNING' },
    historyLength: 0,
    raw: { pendingActivities: [], pendingChildren: [{ workflowId: childId }] },
  };
  const getHandle = (id: string): unknown => ({
    describe: () =>
      id === workflowId
        ? Promise.resolve(description)
        : Promise.reject(new WorkflowNotFoundError('Not here yet.', id, undefined)),
    fetchHistory: () => Promise.resolve({ events: [] }),
  });
  return { workflow: { getHandle } } as unknown as Client;
}

describe('nextEvent', () => {
  it.each([
    ['a child that was ordered', 'run'],
    ['a turn of a thread that was taken', 'turn'],
  ])('waits for %s and is not there yet', async (_, workflowId) => {
    expect(await nextEvent(serverWith('run', 'child'), workflowId)).toEqual({ kind: 'work' });
  });

  it('fails with every other failure of the server', async () => {
    const describe = () => Promise.reject(new Error('gone'));
    const client = { workflow: { getHandle: () => ({ describe }) } } as unknown as Client;
    await expect(nextEvent(client, 'run')).rejects.toThrow('gone');
  });
});
