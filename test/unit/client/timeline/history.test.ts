// Pure: no server.
import type { Client } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { historyEvents, lastEvents } from '../../../../src/client/timeline/events';
import { readTaskFailure } from '../../../../src/client/timeline/history';

const tooLarge = Object.assign(new Error('Received message larger than max'), {
  code: 8,
  details: '',
  metadata: {},
});

/** How a connection that retries answers: with the end of its time. */
const outOfTime = Object.assign(new Error('Deadline exceeded'), {
  code: 4,
  details: '',
  metadata: {},
});

/** A run whose events have the given sizes; a page has room for 4. */
function clientOf(sizes: readonly number[], refusal = tooLarge): Client {
  const read = (events: readonly number[]) => (request: object) => {
    const { maximumPageSize, nextPageToken = [0] } = request as {
      maximumPageSize: number;
      nextPageToken?: ArrayLike<number>;
    };
    const from = nextPageToken[0] ?? 0;
    const page = events.slice(from, from + maximumPageSize);
    if (page.reduce((sum, size) => sum + size, 0) > 4) return Promise.reject(refusal);
    const next = from + page.length;
    const rest = next < events.length ? [next] : [];
    return Promise.resolve({
      history: { events: page.map((size) => ({ eventId: size })) },
      nextPageToken: Uint8Array.from(rest),
    });
  };
  return {
    options: { namespace: 'default' },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflowService: {
      getWorkflowExecutionHistory: read(sizes),
      getWorkflowExecutionHistoryReverse: read([...sizes].reverse()),
    },
  } as unknown as Client;
}

const sizesOf = async (events: AsyncIterable<{ eventId?: unknown }>): Promise<unknown[]> => {
  const sizes: unknown[] = [];
  for await (const { eventId } of events) sizes.push(eventId);
  return sizes;
};

it.each([{ sizes: [] }, { sizes: [1, 2] }, { sizes: [4, 3, 4, 1, 2, 4] }])(
  'reads events of sizes $sizes from either end, in pages that fit',
  async ({ sizes }) => {
    const execution = { workflowId: 'run' };
    expect(await sizesOf(historyEvents(clientOf(sizes), execution))).toEqual(sizes);
    expect(await sizesOf(lastEvents(clientOf(sizes), execution))).toEqual([...sizes].reverse());
  },
);

it('reads smaller pages where the connection retries a large one until its time is up', async () => {
  const client = clientOf([3, 3, 1], outOfTime);
  expect(await sizesOf(historyEvents(client, { workflowId: 'run' }))).toEqual([3, 3, 1]);
});

it('gives up on one event that does not fit', async () => {
  const execution = { workflowId: 'run' };
  await expect(sizesOf(lastEvents(clientOf([1, 5]), execution))).rejects.toBe(tooLarge);
});

it('takes the event with which a reset begins for no failure of a task', async () => {
  const client = (cause: number): Client => {
    const failed = { cause, failure: { message: 'why' } };
    const history = { events: [{ eventId: 1, workflowTaskFailedEventAttributes: failed }] };
    const read = () => Promise.resolve({ history, nextPageToken: new Uint8Array() });
    return {
      options: { namespace: 'default', loadedDataConverter: loadDataConverter() },
      withDeadline: (_deadline: number, call: () => unknown) => call(),
      workflowService: { getWorkflowExecutionHistoryReverse: read },
    } as unknown as Client;
  };
  const [nonDeterministic, wasReset] = [24, 20];
  expect(await readTaskFailure(client(wasReset), 'run')).toBeUndefined();
  const failure = await readTaskFailure(client(nonDeterministic), 'run');
  expect(failure).toEqual({ message: 'why', cause: 'nondeterminism' });
});
