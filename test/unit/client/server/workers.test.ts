// Pure: no server.
import type { Client } from '@temporalio/client';
import { hasWorker, requireWorker, whileServed } from '../../../../src/client/server/workers';
import { timeouts } from '../../../../src/protocol';

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

describe('who waits for a worker', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const waitFor = async (polls: { seconds: number }): Promise<unknown> => {
    const client = clientOf({ identity: 'one', lastAccessTime: polls });
    const place = { taskQueue: 'queue', workflowId: 'run' };
    return await whileServed(
      (signal, since) => requireWorker(client, { ...place, signal, since }),
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
    );
  };

  it('is told when the one that polled was killed: it does not poll again', async () => {
    const waiting = waitFor({ seconds: 100 });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'NoWorker', retryable: true });
    await jest.advanceTimersByTimeAsync(timeouts.longPoll + timeouts.serverCheck);
    await refused;
  });

  it('waits as long as it polls', async () => {
    const polls = { seconds: 100 };
    let isOver = false;
    void waitFor(polls).then(undefined, () => (isOver = true));
    for (let poll = 0; poll < 5; poll += 1) {
      await jest.advanceTimersByTimeAsync(timeouts.longPoll);
      polls.seconds += 60;
    }
    expect(isOver).toBe(false);
  });
});
