// Pure: no server.
import type { Client } from '@temporalio/client';
import { hasWorker } from '../../../../src/client/server/workers';

const stopping = 2;

/** A server with one poller, and what its worker said of itself. */
function clientOf(poller: object | undefined, workerHeartbeat?: object): Client {
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflowService: {
      describeTaskQueue: () => Promise.resolve({ pollers: poller ? [poller] : [] }),
      listWorkers: () =>
        workerHeartbeat
          ? Promise.resolve({ workersInfo: [{ workerHeartbeat }] })
          : Promise.reject(new Error('unimplemented')),
    },
  };
  return client as unknown as Client;
}

const stopped = (seconds: number): object => ({
  taskQueue: 'queue',
  workerIdentity: 'one',
  status: stopping,
  heartbeatTime: { seconds },
});

it.each([
  { name: 'nobody polls', client: clientOf(undefined), expected: false },
  // That of a test environment, whose server tells nothing.
  { name: 'a poller of unknown time', client: clientOf({}), expected: true },
  {
    name: 'it stopped after its last poll',
    client: clientOf({ identity: 'one', lastAccessTime: { seconds: 1 } }, stopped(2)),
    expected: false,
  },
  {
    name: 'it polled since',
    client: clientOf({ identity: 'one', lastAccessTime: { seconds: 3 } }, stopped(2)),
    expected: true,
  },
])('a task queue has a worker or not: $name', async ({ client, expected }) => {
  expect(await hasWorker(client, { taskQueue: 'queue' })).toBe(expected);
});
