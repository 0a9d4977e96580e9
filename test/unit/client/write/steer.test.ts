// Pure: no server. A fake client counts what is on its way.
import type { Client } from '@temporalio/client';
import { steerRun } from '../../../../src/client/write/steer';
import { workflowTypes } from '../../../../src/protocol/names';

type Fake = { readonly isServed: boolean };

function fakeClient({ isServed }: Fake) {
  const seen = { open: 0, most: 0, sent: 0, described: 0 };
  const handle = {
    executeUpdate: async (_name: string, { args }: { readonly args: readonly [object] }) => {
      seen.sent += 1;
      seen.open += 1;
      seen.most = Math.max(seen.most, seen.open);
      if (!isServed) await new Promise(() => undefined);
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
      seen.open -= 1;
      return args[0];
    },
    describe: () => {
      seen.described += 1;
      const status = { name: 'RUNNING' };
      return Promise.resolve({ type: workflowTypes.agent, taskQueue: 'queue', status, raw: {} });
    },
  };
  const client = {
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
    options: { namespace: 'default' },
    workflowService: { describeTaskQueue: () => Promise.resolve({ pollers: [] }) },
    workflow: { getHandle: () => handle },
  };
  const send = (index: number, run = 'run') => {
    const options = { messageId: `m-${index}` };
    return steerRun(client as unknown as Client, run, { text: 'Hello.', options });
  };
  return { seen, send };
}

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('messages that a client sends at once', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('go to one run a few at a time, and each caller gets its own reply', async () => {
    const { seen, send } = fakeClient({ isServed: true });
    const replies = await Promise.all(times(1_000).map((index) => send(index)));
    expect(replies.map(({ messageId }) => messageId)).toEqual(
      times(1_000).map((index) => `m-${index}`),
    );
    expect(seen).toEqual({ open: 0, most: 5, sent: 1_000, described: 0 });
  });

  it('do not wait for those to another run', async () => {
    const { seen, send } = fakeClient({ isServed: true });
    await Promise.all(times(40).map((index) => send(index, index % 2 ? 'odd' : 'even')));
    expect(seen.most).toBe(10);
  });

  it('all hear in time that no worker is there, of one check', async () => {
    const { seen, send } = fakeClient({ isServed: false });
    const results = Promise.allSettled(times(1_000).map((index) => send(index)));
    await jest.advanceTimersByTimeAsync(5_000);
    const codes = (await results).map((result) =>
      result.status === 'rejected' ? (result.reason as { readonly code: string }).code : 'sent',
    );
    expect(new Set(codes)).toEqual(new Set(['NoWorker']));
    expect(seen).toMatchObject({ sent: 5, described: 1 });
  });
});
