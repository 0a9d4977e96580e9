import type { Connection, ConnectionLike } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import { connect, type AgentRunOutcome, type Longhaul, type RunHandle } from '../client';
import { defaults } from '../protocol/names';
import { findTestServer } from '../server/find-test-server';
import { createWorker, type CreateWorkerOptions } from '../worker';
import { stepTimeUntil } from './skip-time';

/** What `createWorker` takes, but for the server: the environment has one of its own. */
export type TestEnvironmentOptions = Omit<
  CreateWorkerOptions,
  'connection' | 'address' | 'profile' | 'namespace'
> & {
  /** The time-skipping server's executable; found or fetched when left out. */
  readonly serverPath?: string;
};

/** A time-skipping server, a worker that runs on it and a client. Time is one for all that runs on it: a test at a time. */
export type TestEnvironment = {
  /** The SDK's own environment, for what is not covered here. Awaiting `env.client`'s results skips time past every pause. */
  readonly env: TestWorkflowEnvironment;
  readonly client: Longhaul;
  readonly worker: Worker;
  /** The run's next pause or its end, with all time in between skipped: retries, timers. Throws what the run failed with. */
  outcome(run: RunHandle): Promise<AgentRunOutcome>;
  /** Lets time pass on the server, in moments: `'3 days'` or milliseconds. */
  skip(duration: Duration): Promise<void>;
  /** The server's time. */
  now(): Promise<Date>;
  /** Stops the worker, which aborts what it is doing, and the server. */
  close(): Promise<void>;
};

type Duration = Parameters<TestWorkflowEnvironment['sleep']>[0];

/** A call in flight does not hold up `close`: it is aborted at once, and given up when it ignores that. */
const shutdown = {
  shutdownGraceTime: 0,
  shutdownForceTime: '10 seconds',
} satisfies Partial<WorkerOptions>;

/**
 * Starts a time-skipping Temporal server with a worker, so that a test of a three-day wait takes moments. Throws
 * `ServerUnavailable`, saying how to install it, when there is no such server and none can be fetched.
 *
 * @example
 * const test = await createTestEnvironment({ runners: [agent], providers: { openai: scriptedModel(['Hi.']) } });
 * const run = await test.client.start('assistant', 'Hello');
 * expect(await test.outcome(run)).toMatchObject({ kind: 'complete' });
 * await test.close();
 */
export async function createTestEnvironment({
  serverPath,
  workerOptions,
  taskQueue = defaults.taskQueue,
  ...options
}: TestEnvironmentOptions): Promise<TestEnvironment> {
  const path = serverPath ?? (await findTestServer()).path;
  const executable = { type: 'existing-path', path } as const;
  const env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  try {
    const worker = await createWorker({
      ...options,
      connection: env.nativeConnection,
      namespace: defaults.namespace,
      taskQueue,
      workerOptions: { ...shutdown, ...workerOptions },
    });
    // Not the SDK's client: awaiting a result must not skip time past the run's next pause.
    const { dataConverter } = options;
    const client = await connect({
      connection: knowingItsWorker(env.connection),
      namespace: defaults.namespace,
      taskQueue,
      ...(dataConverter && { dataConverter }),
    });
    return running(env, worker, client);
  } catch (error) {
    await env.teardown();
    throw error;
  }
}

/** The time-skipping server cannot say who polls a task queue; here it is known: the environment's worker. */
function knowingItsWorker(connection: Connection): ConnectionLike {
  const workflowService = {
    ...connection.workflowService,
    describeTaskQueue: () => Promise.resolve({ pollers: [{}] }),
  };
  return Object.create(connection, { workflowService: { value: workflowService } }) as Connection;
}

function running(env: TestWorkflowEnvironment, worker: Worker, client: Longhaul): TestEnvironment {
  const ended = worker.run();
  // Whoever waits is told when the worker dies, and `close` is; until then it is nobody's unhandled rejection.
  const died = ended.then(() =>
    Promise.reject(new Error('the worker of the test environment was stopped')),
  );
  died.catch(() => undefined);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    } finally {
      await env.teardown();
    }
  };
  return {
    env,
    client,
    worker,
    outcome: (run) => stepTimeUntil(Promise.race([run.outcome(), died]), env, run.runId),
    skip: (duration) => env.sleep(duration),
    now: async () => new Date(await env.currentTimeMs()),
    close: () => (closing ??= close()),
  };
}
