// The limits of a real server, in the simulated one: what is refused, what is tried again, and what ends a run.

import { createClock } from '@sinonjs/fake-timers';
import type { ConnectionLike } from '@temporalio/client';
import type { ServerCommand } from './core/operations';
import type { Execution } from './server/execution';
import { limits, unsent } from './server/limits';
import { SimServer } from './server/server';
import { SimService } from './server/service';
import { SimWorker } from './worker/sim-worker';
import { World } from './world';

type Calls = Readonly<Record<string, (request: object) => Promise<unknown>>>;

const payloadOf = (bytes: number): { data: Uint8Array } => ({ data: new Uint8Array(bytes) });
const large = payloadOf(limits.payload + 1);
const usual = payloadOf(1_000_000);

let world: World;
let server: SimServer;
let calls: Calls;

beforeEach(() => {
  world = new World(1, createClock());
  server = new SimServer(world);
  calls = new SimService(server).connect().workflowService as unknown as Calls;
});

function started(): Execution {
  const attributes = { workflowType: { name: 'any' }, taskQueue: { name: 'any' } };
  return server.start({ workflowId: 'one', reuse: 'always', attributes });
}

/** What the call is answered, in virtual time. */
async function call(name: string, request: object): Promise<unknown> {
  let isOver = false;
  const answer = calls[name]?.(request).finally(() => (isOver = true));
  answer?.catch(() => undefined);
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver || !world.step()) return await answer;
  }
}

/** The next workflow task of the run, with these commands. */
function complete(execution: Execution, commands: readonly ServerCommand[]): string {
  if (execution.task === undefined) execution.signal({ signalName: 'go on' });
  const { token } = execution.beginTask('worker');
  return execution.completeTask(token, { commands, messages: [] }, []);
}

const endOf = ({ history }: Execution): unknown => {
  const last = history.events.at(-1);
  return [last?.name, (last?.attributes as { reason?: string } | undefined)?.reason];
};

const scheduled = (activityId: string, payload = payloadOf(1)): ServerCommand => ({
  kind: 'scheduleActivity',
  attributes: { activityId, activityType: 'any', arguments: [payload] },
});

const signal = {
  workflowExecution: { workflowId: 'one' },
  signalName: 'any',
  input: { payloads: [payloadOf(1)] },
};

const update = (updateId: string, payload = payloadOf(1)): object => ({
  workflowExecution: { workflowId: 'one' },
  waitPolicy: { lifecycleStage: 1 },
  request: {
    meta: { updateId },
    input: { name: 'any', args: { payloads: [payload] } },
  },
});

describe('what clients send', () => {
  it('is refused if it is too large', async () => {
    started();
    const blob = { code: 3, details: 'Blob data size exceeds limit.' };
    const input = { payloads: [large] };
    await expect(call('signalWorkflowExecution', { ...signal, input })).rejects.toMatchObject(blob);
    await expect(call('updateWorkflowExecution', update('one', large))).rejects.toMatchObject(blob);
    const start = { workflowId: 'two', workflowType: { name: 'any' } };
    await expect(call('startWorkflowExecution', { ...start, input })).rejects.toMatchObject(blob);
    await expect(
      call('startWorkflowExecution', { ...start, memo: { fields: { any: large } } }),
    ).rejects.toMatchObject({ code: 3, details: 'Memo size exceeds limit.' });
    expect(server.find('two')).toBeUndefined();
  });

  it('is taken if it is just not too large', async () => {
    const execution = started();
    const input = { payloads: [payloadOf(limits.payload - 100)] };
    await call('signalWorkflowExecution', { ...signal, input });
    expect(execution.signals).toBe(1);
  });

  it('is refused after 10,000 signals', async () => {
    const execution = started();
    for (let each = 0; each < limits.signals; each += 1) execution.signal({ signalName: 'any' });
    await expect(call('signalWorkflowExecution', signal)).rejects.toMatchObject({
      code: 3,
      details: 'exceeded workflow execution limit for signal events',
    });
  });
});

describe('a server that is away', () => {
  type Ask = () => Promise<unknown>;
  it.each<{ what: string; within: (connection: ConnectionLike, ask: Ask) => Promise<unknown> }>([
    {
      what: 'was cancelled',
      within: (connection, ask) => {
        const over = new AbortController();
        world.after(2_000, () => over.abort());
        return connection.withAbortSignal(over.signal, ask);
      },
    },
    {
      what: 'had its time',
      within: (connection, ask) => connection.withDeadline(world.now + 2_000, ask),
    },
  ])('gets no call later that $what', async ({ within }) => {
    const execution = started();
    const connection = new SimService(server).connect();
    const { signalWorkflowExecution } = connection.workflowService as unknown as Calls;
    calls = { ask: () => within(connection, async () => await signalWorkflowExecution?.(signal)) };
    server.goDown({ forgets: false });
    world.after(3_000, () => server.comeUp());
    await expect(call('ask', {})).rejects.toThrow(/Cancelled|Deadline/);
    for (const until = world.now + 10_000; world.now < until; world.step())
      await new Promise((resolve) => setImmediate(resolve));
    expect(execution.signals).toBe(0);
  });
});

describe('updates', () => {
  it('wait while ten are in flight, and the eleventh is tried again', async () => {
    const { updates } = started();
    for (let each = 1; each <= 10; each += 1)
      await call('updateWorkflowExecution', update(`${each}`));
    const before = world.now;
    await expect(call('updateWorkflowExecution', update('11'))).rejects.toMatchObject({
      code: 8,
      details: 'limit on number of concurrent in-flight updates has been reached (10)',
    });
    expect(world.now - before).toBeGreaterThan(30_000);
    updates.reject('3', { message: 'no' });
    await call('updateWorkflowExecution', update('11'));
    expect(updates.get('11')?.stage).toBe('admitted');
  });

  it('are refused after 2,000 in all, without those that the run has refused', async () => {
    const { updates } = started();
    for (let each = 1; each <= limits.updates; each += 1) {
      updates.admit({ meta: { updateId: 'refused' } });
      updates.reject('refused', {});
      updates.admit({ meta: { updateId: `${each}` } });
      updates.accept(`${each}`, each, {});
      updates.complete(`${each}`, {});
    }
    await expect(call('updateWorkflowExecution', update('more'))).rejects.toMatchObject({
      code: 9,
      details: expect.stringContaining('total number of distinct updates') as string,
    });
    // The same update again is not another one.
    await call('updateWorkflowExecution', update('5'));
  });
});

describe('what workers send', () => {
  it('fails an activity that has too large a result, and it is tried again', async () => {
    const execution = started();
    complete(execution, [scheduled('one')]);
    const [activity] = execution.activities.values();
    if (activity === undefined) throw new Error('there is no activity');
    const result = Promise.resolve({ completed: { result: large } });
    const worker = new SimWorker(server, {
      id: 'worker',
      taskQueue: 'any',
      activities: { start: async () => ({ result, cancel: () => undefined }) } as never,
      cache: 1,
      slowestTask: 1,
      isRebuilt: () => false,
      mayFail: () => false,
      work: () => undefined,
      onWrong: (error) => {
        throw error;
      },
    });
    worker.activityTask(execution, activity);
    for (let step = 0; activity.lastFailure === undefined && step < 10; step += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      world.step();
    }
    expect(activity.lastFailure).toMatchObject({
      message: expect.stringMatching(/^\[TMPRL1103\]/) as string,
      applicationFailureInfo: { type: 'PayloadsTooLarge' },
    });
    expect(activity.attempt).toBe(2);
  });

  it('is not sent if a command is too large, or all of them together', () => {
    const cause = (...commands: readonly ServerCommand[]): number | undefined =>
      unsent({ commands, messages: [] })?.cause;
    expect(cause(scheduled('one', usual))).toBeUndefined();
    expect(cause(scheduled('one', large))).toBe(37);
    expect(cause({ kind: 'complete', attributes: { result: large } })).toBe(37);
    expect(
      cause({ kind: 'fail', attributes: { failure: { message: 'x'.repeat(3_000_000) } } }),
    ).toBe(37);
    expect(cause({ kind: 'modifyProperties', fields: { any: large } })).toBe(37);
    expect(cause(...['1', '2', '3', '4', '5'].map((id) => scheduled(id, usual)))).toBe(36);
    const outcome = { success: { payloads: [large] } };
    const answer = { id: 'one', protocolInstanceId: 'one', kind: 'completed', outcome } as const;
    expect(unsent({ commands: [], messages: [answer] })?.cause).toBe(37);
  });

  it('fails the task if more than 2,000 activities would be under way', () => {
    const execution = started();
    const many = (count: number): ServerCommand[] =>
      Array.from({ length: count }, (_, index) => scheduled(`${index}`));
    expect(complete(execution, many(2_001))).toBe('refused');
    expect(execution.history.events.at(-1)?.attributes).toMatchObject({ cause: 27 });
    expect(execution.activities.size).toBe(0);
    expect(complete(execution, many(2_000))).toBe('taken');
  });
});

describe('a run is ended', () => {
  it('if one write would add more than 4 MiB', () => {
    const execution = started();
    const { token } = execution.beginTask('worker');
    for (const each of ['1', '2'])
      execution.signal({ signalName: each, input: { payloads: [usual] } });
    const commands = ['1', '2', '3'].map((id) => scheduled(id, usual));
    expect(execution.completeTask(token, { commands, messages: [] }, [])).toBe('refused');
    expect(endOf(execution)).toEqual([
      'workflowExecutionTerminated',
      'Transaction size exceeds limit.',
    ]);
    expect(execution.activities.size).toBe(0);
  });

  it('by the write after the one that made its history longer than 50 MiB', async () => {
    const execution = started();
    const input = { payloads: [payloadOf(2_000_000)] };
    while (execution.history.bytes <= limits.historyBytes)
      execution.signal({ signalName: 'any', input });
    expect(execution.isOpen).toBe(true);
    await expect(call('signalWorkflowExecution', signal)).rejects.toMatchObject({
      code: 3,
      details: 'Workflow history size exceeds limit.',
    });
    expect(endOf(execution)).toEqual([
      'workflowExecutionTerminated',
      'Workflow history size exceeds limit.',
    ]);
  });

  it('if its history would have more than 51,200 events', () => {
    const execution = started();
    const fill = (count: number): void => {
      while (execution.history.events.length < count)
        execution.history.append('markerRecorded', {});
    };
    fill(limits.historyEvents - 10);
    expect(complete(execution, [scheduled('1')])).toBe('taken');
    fill(limits.historyEvents - 3);
    expect(complete(execution, [scheduled('2'), scheduled('3')])).toBe('refused');
    expect(endOf(execution)).toEqual([
      'workflowExecutionTerminated',
      'Workflow history count exceeds limit.',
    ]);
  });

  it('and may end on its own with a history that is too long', () => {
    const execution = started();
    while (execution.history.events.length < limits.historyEvents)
      execution.history.append('markerRecorded', {});
    expect(complete(execution, [{ kind: 'complete', attributes: {} }])).toBe('taken');
    expect(execution.status).toBe('completed');
  });
});
