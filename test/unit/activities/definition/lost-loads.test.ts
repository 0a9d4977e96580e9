// Pure: no server. An activity whose server says how the attempt before it ended.
import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { requireLoadable } from '../../../../src/activities/definition/lost-loads';

const heartbeatTimeout = { timeoutFailureInfo: { timeoutType: 4 } };

type Before = { readonly attempt: number; readonly lost?: number; readonly lastFailure?: object };

/** One attempt. Returns what it tells the server, and its error. */
async function attemptAfter({ attempt, lost, lastFailure }: Before) {
  const asked: unknown[] = [];
  const client = {
    withAbortSignal: (_signal: AbortSignal, ask: () => unknown) => ask(),
    withDeadline: (_deadline: number, ask: () => unknown) => ask(),
    workflowService: {
      describeWorkflowExecution: (request: unknown) => {
        asked.push(request);
        return Promise.resolve({ pendingActivities: [{ activityId: 'load', lastFailure }] });
      },
    },
  };
  const heartbeatDetails = lost === undefined ? undefined : { lostAttempts: lost };
  const info = { activityId: 'load', attempt, heartbeatDetails };
  const environment = new MockActivityEnvironment(info, {
    client: client as unknown as Client,
  });
  const told: unknown[] = [];
  let latest: unknown;
  const beats = {
    keep: (details: unknown) => void (latest = details),
    tell: () => Promise.resolve(void told.push(latest)),
  };
  const error: unknown = await environment
    .run(() => requireLoadable(beats))
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return { told, error, asked };
}

it('costs the first attempt nothing', async () => {
  expect(await attemptAfter({ attempt: 1 })).toEqual({ told: [], error: undefined, asked: [] });
});

it('counts an attempt that ended with its worker, before it loads anything', async () => {
  const first = await attemptAfter({ attempt: 2, lastFailure: heartbeatTimeout });
  expect(first).toMatchObject({ told: [{ lostAttempts: 1 }], error: undefined });
  const next = await attemptAfter({ attempt: 3, lost: 1, lastFailure: heartbeatTimeout });
  expect(next).toMatchObject({ told: [{ lostAttempts: 2 }], error: undefined });
});

it('does not count an attempt that failed by itself, however many there were', async () => {
  const lastFailure = { applicationFailureInfo: { type: 'StoreError' } };
  const after = await attemptAfter({ attempt: 500, lost: 4, lastFailure });
  expect(after).toMatchObject({ told: [], error: undefined });
});

it('gives up after the fifth worker, for good', async () => {
  const { error, told } = await attemptAfter({
    attempt: 6,
    lost: 4,
    lastFailure: heartbeatTimeout,
  });
  expect(error).toMatchObject({
    code: 'InternalError',
    retryable: false,
    message: expect.stringContaining(
      '5 workers stopped while they loaded the definition',
    ) as string,
  });
  expect(told).toEqual([]);
});
