// Pure: the server's descriptions are played.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hostname } from 'node:os';
import { lastPollOf } from '../../../../src/client/why/last-poll';

const secondsAgo = (seconds: number) => ({ seconds: Math.floor(Date.now() / 1_000) - seconds });

type Poller = { readonly identity: string; readonly lastAccessTime?: object };

const clientOf = (pollers: readonly Poller[] | Error): Client =>
  ({
    options: { namespace: 'default' },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflowService: {
      describeTaskQueue: async () => {
        if (pollers instanceof Error) throw pollers;
        return { pollers };
      },
      listWorkers: async () => ({ workersInfo: [] }),
    },
  }) as unknown as Client;

type Call = { readonly state: number; readonly lastWorkerIdentity?: string; readonly due?: number };

const runOf = (calls: readonly Call[]): WorkflowExecutionDescription =>
  ({
    taskQueue: 'shop',
    raw: {
      pendingActivities: calls.map(({ due = 0, ...call }) => ({
        ...call,
        scheduledTime: secondsAgo(due),
      })),
    },
  }) as unknown as WorkflowExecutionDescription;

const [scheduled, taken] = [1, 2];
const live = '1@elsewhere';
const killed = `${2 ** 22 + 1}@${hostname()}`;
const polled = (identity: string, seconds: number): Poller => ({
  identity,
  lastAccessTime: secondsAgo(seconds),
});

describe('lastPollOf', () => {
  it.each<[string, readonly Call[], readonly Poller[] | Error]>([
    ['no call is open', [], [polled(live, 200)]],
    ['a live worker makes the call', [{ state: taken, lastWorkerIdentity: live }], []],
    ['a worker polled a moment ago', [{ state: scheduled, due: 3 }], [polled(live, 3)]],
    [
      'the call is not due, and a worker may idle',
      [{ state: scheduled, due: -9 }],
      [polled(live, 50)],
    ],
    ['the server cannot tell', [{ state: scheduled, due: 40 }], new Error('unimplemented')],
    ['the server does not say when', [{ state: scheduled, due: 40 }], [{ identity: '' }]],
  ])('names nobody if %s', async (_name, calls, pollers) => {
    expect(await lastPollOf(clientOf(pollers), runOf(calls))).toBeUndefined();
  });

  it.each<[string, Call, readonly Poller[], string | undefined]>([
    [
      'its process is gone',
      { state: taken, lastWorkerIdentity: killed },
      [polled(killed, 1)],
      killed,
    ],
    ['nobody takes a call that is due', { state: scheduled, due: 40 }, [polled(live, 40)], live],
    [
      'it polled the last of several',
      { state: scheduled, due: 99 },
      [polled('a', 90), polled('b', 80)],
      'b',
    ],
    ['none polls', { state: scheduled, due: -9 }, [], undefined],
  ])('names the last worker if %s', async (_name, call, pollers, identity) => {
    const last = await lastPollOf(clientOf(pollers), runOf([call]));
    expect(last).toMatchObject({ taskQueue: 'shop', ...(identity && { identity }) });
    expect(last?.identity).toBe(identity);
  });
});
