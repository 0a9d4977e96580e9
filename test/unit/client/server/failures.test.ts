// Pure: no server.
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import {
  QueryNotRegisteredError,
  ServiceError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, NamespaceNotFoundError } from '@temporalio/common';
import { ProviderError, type LonghaulError } from '../../../../src';
import {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from '../../../../src/agent-run';
import {
  asLonghaulError,
  isPassing,
  isRefused,
  runFailure,
  unreachable,
} from '../../../../src/client/server/failures';
import { Longhaul } from '../../../../src/client/handles/longhaul';
import { RunHandle } from '../../../../src/client/handles/run-handle';
import { ThreadView } from '../../../../src/client/write/thread-calls';
import { ofNewerVersion } from '../../../../src/core/stored-format';
import { threadType, workflowTypes } from '../../../../src/protocol/names';

const failed = (cause: Error): WorkflowFailedError =>
  new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE');
const failureOf = (type: string, details: object): WorkflowFailedError =>
  failed(ApplicationFailure.nonRetryable('why', type, details));

describe('the failure of a run', () => {
  it.each([
    { errorClass: MaxIterationsExceeded, details: { limit: 3 } },
    { errorClass: MaxTurnsExceeded, details: { limit: 3 } },
    { errorClass: InvalidToolCall, details: { toolName: 'x', executable: [], allowed: [] } },
    { errorClass: TurnCut, details: { finishReason: 'length' } },
    { errorClass: CallbackAbort, details: { reason: 'enough' } },
  ])('is a $errorClass.name with its fields', ({ errorClass, details }) => {
    const error = runFailure(failureOf(errorClass.name, details));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ ...details, history: [], message: 'why', details });
  });

  it('is a ProviderError with its kind, and with what a graph adds', () => {
    const details = { kind: 'rejected', status: 400, provider: 'openai', failed: ['t'], ran: [] };
    const error = runFailure(failureOf('ProviderError', details));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ kind: 'rejected', status: 400, retryable: false, details });
  });

  it('is a RunCancelled when the run was cancelled', () => {
    const error = runFailure(failed(new CancelledFailure('enough')));
    expect(error).toBeInstanceOf(RunCancelled);
    expect(error).toMatchObject({ reason: 'enough', message: 'enough' });
  });
});

describe('a decision about a tool call', () => {
  const run = new RunHandle({} as Client, 'run');

  it.each([
    { name: 'null', args: null },
    { name: 'a list', args: [1] },
    { name: 'a Date within', args: { since: new Date(0) } },
    { name: 'a BigInt within', args: { cents: 1n } },
  ])('is refused before it is sent when the edited arguments are $name', async ({ args }) => {
    await expect(run.approve('a1.0', { args: args as never })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
  });

  it('is refused before it is sent when a rejection has no reason', async () => {
    await expect(run.reject('a1.0', undefined as never)).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
  });
});

/** A client of one workflow that fails at whatever it is asked, but for what the server knows of it, and for queries where an update fails. */
const failedTask = (message: string) => ({
  workflowTaskFailedEventAttributes: { failure: { message } },
});

function clientOf(type: string, error: Error, history: readonly object[] = []): Client {
  const fail = () => Promise.reject(error);
  const query = error instanceof WorkflowUpdateFailedError ? () => Promise.resolve({}) : fail;
  const known = { type, taskQueue: 'queue', status: { name: 'RUNNING' } };
  const describe = () => Promise.resolve({ ...known, raw: { workflowExecutionInfo: {} } });
  return {
    options: { namespace: 'default', loadedDataConverter: loadDataConverter() },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
    workflow: { getHandle: () => ({ query, executeUpdate: fail, describe }) },
    workflowService: {
      describeTaskQueue: () => Promise.resolve({ pollers: [] }),
      getWorkflowExecutionHistoryReverse: () => Promise.resolve({ history: { events: history } }),
    },
  } as unknown as Client;
}

describe('a workflow that does not answer as runs do', () => {
  const noQuery = new QueryNotRegisteredError('Workflow did not register a handler', 3);
  const noUpdate = new WorkflowUpdateFailedError('failed', ApplicationFailure.nonRetryable('none'));

  it.each([
    { name: 'state', ask: (run: RunHandle) => run.state() },
    { name: 'pending', ask: (run: RunHandle) => run.pending() },
    { name: 'transcript', ask: (run: RunHandle) => run.transcript() },
    { name: 'usage', ask: (run: RunHandle) => run.usage() },
    { name: 'resume', ask: (run: RunHandle) => run.resume('yes') },
    { name: 'approve', ask: (run: RunHandle) => run.approve('a1.0'), error: noUpdate },
  ])('is said to be none of Longhaul by $name', async ({ ask, error = noQuery }) => {
    await expect(ask(new RunHandle(clientOf('payroll', error), 'other'))).rejects.toMatchObject({
      code: 'RunNotFound',
      message: expect.stringContaining(
        "'other' is not a Longhaul run: it is a workflow of type 'payroll'",
      ) as string,
      details: { workflowId: 'other', workflowType: 'payroll' },
    });
  });

  it.each([
    {
      history: [],
      message: 'did not register a handler',
      not: 'another version',
      code: 'InternalError',
    },
    {
      history: [failedTask('no such key')],
      message: 'its workflow task fails (no such key)',
      code: 'InternalError',
    },
    {
      history: [failedTask('[TMPRL1100] Nondeterminism error')],
      message: 'Was another version deployed?',
      code: 'NoWorker',
    },
    {
      history: [failedTask(ofNewerVersion('It has format 2').message)],
      message: 'start workers of that version',
      code: 'NoWorker',
    },
  ])('is said to fail for what its history says: $message', async (one) => {
    const { history, message, not, code } = one;
    const client = clientOf(workflowTypes.agent, noQuery, history);
    const error: unknown = await new RunHandle(client, 'run')
      .state()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retryable: code === 'NoWorker' });
    expect(String(error)).toContain(message);
    if (not !== undefined) expect(String(error)).not.toContain(not);
  });

  it('is a thread whose task fails, not a workflow of somebody else', async () => {
    const client = clientOf(threadType, noQuery, [failedTask('no such key')]);
    await expect(new RunHandle(client, 'thread').pending()).rejects.toMatchObject({
      code: 'InternalError',
      message: expect.stringContaining('its workflow task fails (no such key)') as string,
    });
  });
});

describe('the turns of a thread', () => {
  const turnsAfter = (message: string) => {
    const client = clientOf(threadType, new QueryNotRegisteredError(message, 3));
    return new ThreadView(client, 'thread', 'queue').turns();
  };

  it('are none if the thread does not know the query', async () => {
    await expect(turnsAfter('Workflow did not register a handler')).resolves.toEqual([]);
  });

  it.each([
    { when: 'nobody has polled for a while', history: [], code: 'NoWorker' },
    { when: 'its task fails', history: [failedTask('no such key')], code: 'InternalError' },
  ])('cannot be read when $when', async ({ history, code }) => {
    jest.useFakeTimers();
    const details = 'no poller seen for task queue recently';
    const cause = Object.assign(new Error(details), { code: 9, details, metadata: {} });
    const client = clientOf(threadType, new ServiceError('the query failed', { cause }), history);
    const asked = new ThreadView(client, 'thread', 'queue').turns();
    const refused = expect(asked).rejects.toMatchObject({ code });
    await jest.runAllTimersAsync();
    await refused;
    jest.useRealTimers();
  });

  it('cannot be read where only a worker of another version can read the thread', async () => {
    jest.useFakeTimers();
    const asked = turnsAfter('[TMPRL1100] Nondeterminism error');
    const refused = expect(asked).rejects.toMatchObject({ code: 'NoWorker', retryable: true });
    await jest.runAllTimersAsync();
    await refused;
    jest.useRealTimers();
  });
});

describe('a namespace that does not exist', () => {
  it('is named, with how to make it', () => {
    expect(unreachable(new NamespaceNotFoundError('nope'))).toMatchObject({
      code: 'ServerUnavailable',
      details: { namespace: 'nope' },
      message: expect.stringContaining('namespace create --namespace nope') as string,
    });
  });
});

it.each([8, 10])('says to try again after gRPC status %i', (code) => {
  const busy = Object.assign(new Error('busy'), { code, details: 'busy', metadata: {} });
  const error = asLonghaulError(new ServiceError('the call failed', { cause: busy }));
  expect(error).toMatchObject({ code: 'ServerUnavailable', retryable: true });
});

describe('an answer beyond those that the server lets an execution take', () => {
  // As the server says it, observed at version 1.31 with `history.maxTotalUpdates: 1`.
  const details =
    'The limit on the total number of distinct updates in this workflow has been reached (1). Make sure any duplicate updates share an Update ID so the server can deduplicate them';
  const refusal = (code: number): Error =>
    new ServiceError('Workflow Update failed', {
      cause: Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} }),
    });

  it('is refused at once as RunFull, which says what to do', async () => {
    const executeUpdate = jest.fn(() => Promise.reject(refusal(9)));
    const client = {
      withDeadline: (_deadline: number, call: () => unknown) => call(),
      withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
      options: { namespace: 'default' },
      workflow: {
        getHandle: () => ({
          executeUpdate,
          query: () => Promise.resolve({}),
          describe: () => Promise.resolve({ taskQueue: 'queue', status: { name: 'RUNNING' } }),
        }),
      },
      workflowService: { describeTaskQueue: () => new Promise(() => undefined) },
    } as unknown as Client;
    await expect(new RunHandle(client, 'r').resume('a', { inputId: 'q1.0' })).rejects.toMatchObject(
      {
        code: 'RunFull',
        retryable: true,
        message: expect.stringContaining('Try again when') as string,
      },
    );
    expect(executeUpdate).toHaveBeenCalledTimes(1);
  });

  it('has who waits for the run wait on', () => {
    expect([isPassing(refusal(9)), isRefused(refusal(9))]).toEqual([true, true]);
  });
});

describe('an update while the last tasks of its workflow came to nothing', () => {
  // The text is the server's. Of an update that starts its workflow, only the message has it: the SDK puts nothing else there.
  const text = 'Unable to perform workflow execution update due to Workflow Task in failed state.';
  const status = (details: string) => ({ code: 9, details, metadata: {} });
  const refusal = new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error(text), status(text)),
  });
  const startRefusal = Object.assign(new Error(text), status('Update-with-Start failed.'));

  function clientWith(history: readonly object[]) {
    const client = clientOf(workflowTypes.agent, refusal, history);
    const executeUpdate = jest.fn(() => Promise.reject(refusal));
    const executeUpdateWithStart = jest.fn(() => Promise.reject(startRefusal));
    const handle = {
      ...client.workflow.getHandle('r'),
      executeUpdate,
      query: () => Promise.resolve({}),
      describe: () =>
        Promise.resolve({
          type: workflowTypes.agent,
          taskQueue: 'queue',
          status: { name: 'RUNNING' },
          raw: {},
        }),
    };
    const workflow = { getHandle: () => handle, executeUpdateWithStart };
    const workflowService = {
      ...client.workflowService,
      describeTaskQueue: () => new Promise(() => undefined),
    };
    const longhaul = new Longhaul({ ...client, workflow, workflowService } as unknown as Client, {
      taskQueue: 'queue',
    });
    const asked = () => executeUpdate.mock.calls.length + executeUpdateWithStart.mock.calls.length;
    return { longhaul, asked };
  }

  const threadOf = (longhaul: Longhaul) => longhaul.thread({ agent: 'a', sessionId: 's' });
  const updates = [
    { name: 'send', times: 10, make: (longhaul: Longhaul) => longhaul.run('r').send('Go.') },
    {
      name: 'resume',
      times: 10,
      make: (longhaul: Longhaul) => longhaul.run('r').resume('a', { inputId: 'q1.0' }),
    },
    { name: 'approve', times: 10, make: (longhaul: Longhaul) => longhaul.run('r').approve('a1.0') },
    { name: 'thread.send', times: 20, make: (longhaul: Longhaul) => threadOf(longhaul).send('Hi') },
    { name: 'thread.clear', times: 20, make: (longhaul: Longhaul) => threadOf(longhaul).clear() },
  ];
  const timedOut = { workflowTaskTimedOutEventAttributes: {} };

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  async function errorOf(
    make: (typeof updates)[number]['make'],
    longhaul: Longhaul,
  ): Promise<unknown> {
    const thrown = make(longhaul).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(30_000);
    return await thrown;
  }

  it.each(updates)('is made again by $name, and then may be made later', async (update) => {
    const { longhaul, asked } = clientWith([timedOut]);
    const error = await errorOf(update.make, longhaul);
    expect(error).toMatchObject({ code: 'ServerUnavailable', retryable: true });
    expect(asked()).toBe(update.times);
  });

  it.each(updates)('is worth making again by $name if another version may take it', async (one) => {
    const { longhaul } = clientWith([timedOut, failedTask('[TMPRL1100] Nondeterminism error')]);
    expect(await errorOf(one.make, longhaul)).toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining('Was another version deployed?') as string,
      retryable: true,
    });
  });

  it.each(updates)('is not worth making again by $name if they fail', async (one) => {
    const { longhaul } = clientWith([timedOut, failedTask('no such key')]);
    expect(await errorOf(one.make, longhaul)).toMatchObject({ code: 'InternalError' });
  });

  it('has who waits for the run wait on, once it is known not to last', () => {
    expect([isPassing(refusal), isPassing(asLonghaulError(refusal))]).toEqual([false, true]);
  });
});

describe('an answer under way while its run is reset', () => {
  const cutOff = new WorkflowUpdateFailedError(
    'Workflow Update failed',
    ApplicationFailure.nonRetryable('closed', 'AcceptedUpdateCompletedWorkflow'),
  );

  it.each([
    { cuts: 2, told: 'accepted', asked: 3 },
    { cuts: 9, told: 'InternalError', asked: 3 },
  ])('is given again, three times at most: cut off $cuts times', async ({ cuts, told, asked }) => {
    const nonces = ['before', 'after', 'later'];
    const ids: string[] = [];
    const executeUpdate = (_name: string, { updateId }: { updateId: string }) => {
      ids.push(updateId);
      return ids.length <= cuts ? Promise.reject(cutOff) : Promise.resolve({ accepted: true });
    };
    const client = {
      withDeadline: (_deadline: number, call: () => unknown) => call(),
      withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
      options: { namespace: 'default' },
      workflow: {
        getHandle: () => ({
          executeUpdate,
          query: () => Promise.resolve({ nonce: nonces.shift() }),
          describe: () =>
            Promise.resolve({
              type: workflowTypes.agent,
              taskQueue: 'queue',
              status: { name: 'RUNNING' },
            }),
        }),
      },
      workflowService: { describeTaskQueue: () => new Promise(() => undefined) },
    } as unknown as Client;
    const answered = new RunHandle(client, 'r').resume('a', { inputId: 'q1.0' }).then(
      () => 'accepted',
      ({ code }: LonghaulError) => code,
    );
    expect(await answered).toBe(told);
    // Of the execution that takes it: each has questions of its own.
    expect(new Set(ids).size).toBe(asked);
    expect(ids).toHaveLength(asked);
  });
});
