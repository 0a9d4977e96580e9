import { defined } from '../base';
import { setTimeout as delay } from 'node:timers/promises';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import {
  type AgentRunOutcome,
  connect,
  type Longhaul,
  openConnection,
  type RunHandle,
} from '../client/index';
import { defaults, type RunTypes } from '../protocol';
import { findTestServer } from './find-test-server';
import { createWorker, type CreateWorkerOptions } from '../worker';
import { stepTimeUntil } from './skip-time';
import { installTestLog } from './test-log';
import type { Connection, ConnectionLike } from '@temporalio/client';

/**
 * The options of `createWorker` without those for the server, because the environment has its own server. `inlineSpecs` is true by default,
 * because nobody else reaches this server.
 */
export type TestEnvironmentOptions = Omit<
  CreateWorkerOptions,
  'connection' | 'address' | 'profile' | 'namespace'
> & {
  /** The path of the time-skipping server. Default: found on this machine, or downloaded. */
  readonly serverPath?: string;
};

/** A time-skipping server with a worker and a client. All its runs share one clock, so run one test at a time. */
export type TestEnvironment = {
  /** The SDK's environment, for other needs. If you await a result of `env.client`, it skips time past every pause. */
  readonly env: TestWorkflowEnvironment;
  readonly client: Longhaul;
  readonly worker: Worker;
  /** The run's next pause or its end. Skips the time of retries and timers. Rejects with the run's error. */
  outcome<Types extends RunTypes = RunTypes>(
    run: RunHandle<Types>,
  ): Promise<AgentRunOutcome<Types>>;
  /** Lets time pass on the server: a text such as `'3 days'`, or milliseconds. It takes only moments. */
  skip(duration: Duration): Promise<void>;
  /** The server's time. */
  now(): Promise<Date>;
  /** Stops the worker and the server. Aborts running calls. */
  close(): Promise<void>;
};

type Duration = Parameters<TestWorkflowEnvironment['sleep']>[0];

/** `close` aborts running calls at once, and does not wait for calls that ignore it. */
const shutdown = {
  shutdownGraceTime: 0,
  shutdownForceTime: '10 seconds',
} satisfies Partial<WorkerOptions>;

/** Ends open waits at `close`. Otherwise the SDK would retry them without a server. */
const lastWaitsMs = 1_000;

const closed = new Error('the test environment was closed');

/**
 * Starts a time-skipping Temporal server with a worker, so that a test of a three-day wait takes moments. Throws `ServerUnavailable` if
 * there is no such server, with a hint on how to install one.
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
  ...options
}: TestEnvironmentOptions): Promise<TestEnvironment> {
  const { taskQueue = defaults.taskQueue, application } = options;
  const { dataConverter, encryption, clearFailures, results } = options;
  const { namespace } = defaults;
  const env = await startServer(serverPath ?? (await findTestServer()));
  const closing = new AbortController();
  try {
    const worker = await createWorker({
      inlineSpecs: true,
      ...options,
      connection: env.nativeConnection,
      namespace,
      taskQueue,
      workerOptions: { ...shutdown, ...workerOptions },
    });
    // Not the SDK's client, because its `result` skips time past the run's next pause.
    const own = openConnection({ address: env.address });
    const client = await connect({
      connection: knowingItsWorker(own.connection),
      namespace,
      taskQueue,
      ...defined({ application, dataConverter, encryption }),
      ...(clearFailures && { clearFailures }),
      ...defined({ results }),
    });
    return running({ env, worker, client, closing, disconnect: own.close });
  } catch (error) {
    await env.teardown();
    throw error;
  }
}

/** The SDK gives a server five seconds to start, which a busy machine may miss once. */
async function startServer(path: string): Promise<TestWorkflowEnvironment> {
  installTestLog();
  const executable = { type: 'existing-path', path } as const;
  const start = (): Promise<TestWorkflowEnvironment> =>
    TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  return start().catch(start);
}

type Parts = Pick<TestEnvironment, 'env' | 'worker' | 'client'> & {
  readonly closing: AbortController;
  readonly disconnect: () => Promise<void>;
};

function running({ env, worker, client, closing, disconnect }: Parts): TestEnvironment {
  const ended = worker.run();
  // Waits and `close` report a worker that died. Until then it must not be an unhandled rejection.
  const stopped = ended.then(() => Promise.reject(closed));
  stopped.catch(() => undefined);
  const waits = new Set<Promise<unknown>>();
  const tracked = async <Result>(wait: Promise<Result>): Promise<Result> => {
    waits.add(wait);
    return wait.finally(() => waits.delete(wait));
  };
  const { signal } = closing;
  const close = async (): Promise<void> => {
    closing.abort(closed);
    try {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    } finally {
      await Promise.race([
        Promise.allSettled(waits),
        delay(lastWaitsMs, undefined, { ref: false }),
      ]);
      await disconnect();
      await env.teardown();
    }
  };
  let closure: Promise<void> | undefined;
  return {
    env,
    client,
    worker,
    outcome: (run) => {
      const outcome = Promise.race([run.outcome(), stopped]);
      return tracked(
        stepTimeUntil(outcome, { env, client: client.client, workflowId: run.workflowId, signal }),
      );
    },
    skip: (duration) => tracked(env.sleep(duration)),
    now: async () => new Date(await env.currentTimeMs()),
    close: () => (closure ??= close()),
  };
}

/** The time-skipping server does not know who polls a task queue. In a test environment it is always its worker. */
function knowingItsWorker(connection: Connection): ConnectionLike {
  const workflowService = {
    ...connection.workflowService,
    describeTaskQueue: () => Promise.resolve({ pollers: [{}] }),
  };
  return Object.create(connection, { workflowService: { value: workflowService } }) as Connection;
}
