// Pure: the server is played by an object, for a moment that a real one shows for a millisecond only.

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { nextEvent } from '../../../src/testing/next-event';

/** Knows one run, which has the given child; describing anything else fails as on a server. */
function serverWith(runId: string, childId: string): Client {
  const description = {
    status: { name: 'RUNNING' },
    historyLength: 0,
    raw: { pendingActivities: [], pendingChildren: [{ workflowId: childId }] },
  };
  const getHandle = (id: string): unknown => ({
    describe: () =>
      id === runId
        ? Promise.resolve(description)
        : Promise.reject(new WorkflowNotFoundError('Not here yet.', id, undefined)),
    fetchHistory: () => Promise.resolve({ events: [] }),
  });
  return { workflow: { getHandle } } as unknown as Client;
}

describe('nextEvent', () => {
  it('waits for a child that was ordered and is not there yet', async () => {
    expect(await nextEvent(serverWith('run', 'child'), 'run')).toEqual({ kind: 'work' });
  });

  it('refuses a run that is not there', async () => {
    await expect(nextEvent(serverWith('run', 'child'), 'other')).rejects.toThrow(
      WorkflowNotFoundError,
    );
  });
});
