import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { connect, type ConnectOptions, type Longhaul } from '../../src/client';
import {
  createWorker,
  LonghaulPlugin,
  type CreateWorkerOptions,
  type LonghaulOptions,
} from '../../src/worker';
import { devServerAddress, workflowsInThread } from '../servers';
import { quietRuntime } from './quiet';

/** One client and any number of workers on a task queue of their own, against the dev server of this Jest run. */
export type Harness = {
  readonly longhaul: Longhaul;
  readonly taskQueue: string;
  /** Another client of the task queue, or of the one in the options. Close it. */
  connect(options?: ConnectOptions): Promise<Longhaul>;
  worker(options: CreateWorkerOptions): Promise<RunningWorker>;
  /** Somebody else's worker, which has these activities and nothing of Longhaul. Resolves to its task queue. */
  activities(activities: object): Promise<string>;
  /**
   * Makes this all that the task queue's one worker has: each test of a file deploys its own, and no test waits for a worker of its
   * own to start. Not together with `worker`.
   */
  deploy(options: LonghaulOptions): Promise<void>;
  close(): Promise<void>;
};

export type RunningWorker = {
  readonly worker: Worker;
  readonly connection: NativeConnection;
  stop(): Promise<void>;
};

/** `prefix`: of the task queue. */
export async function openHarness(address = devServerAddress(), prefix = 'test'): Promise<Harness> {
  const taskQueue = `${prefix}-${randomUUID()}`;
  const longhaul = await connect({ address, taskQueue });
  const running: RunningWorker[] = [];
  // A connection each: two workers on one task queue may not share one.
  const connectNative = async (): Promise<NativeConnection> => {
    quietRuntime();
    return await NativeConnection.connect({ address });
  };
  let deployment: Promise<Deployment> | undefined;
  return {
    longhaul,
    taskQueue,
    connect: (options) => connect({ address, taskQueue, ...options }),
    worker: async (options) => {
      const connection = await connectNative();
      const worker = await createWorker({
        connection,
        taskQueue,
        inlineSpecs: true,
        ...options,
        workerOptions: { ...testOptions(), ...options.workerOptions },
      });
      const started = run(worker, connection);
      running.push(started);
      return started;
    },
    activities: async (activities) => {
      const connection = await connectNative();
      const queue = `activities-${randomUUID()}`;
      const worker = await Worker.create({ connection, taskQueue: queue, activities });
      running.push(run(worker, connection));
      return queue;
    },
    deploy: async (options) => {
      deployment ??= connectNative().then((connection) => new Deployment(connection, taskQueue));
      const started = await (await deployment).deploy(options);
      if (started !== undefined) running.push(started);
    },
    close: async () => {
      await Promise.all(running.map((started) => started.stop()));
      await longhaul.close();
    },
  };
}

function testOptions(): Partial<WorkerOptions> {
  const cached = process.env['LONGHAUL_TEST_CACHED_WORKFLOWS'];
  return {
    ...workflowsInThread(),
    shutdownGraceTime: '1s',
    ...(cached !== undefined && { maxCachedWorkflows: Number(cached) }),
  };
}

function run(worker: Worker, connection: NativeConnection): RunningWorker {
  const ended = worker.run();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
    await connection.close();
  };
  return { worker, connection, stop: () => (stopping ??= stop()) };
}

type Activities = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** A worker whose activities are those of the plugin that was deployed last. */
class Deployment {
  readonly #options: WorkerOptions;
  readonly #connection: NativeConnection;
  readonly #plugins: LonghaulPlugin[] = [];
  #activities: Activities = {};

  constructor(connection: NativeConnection, taskQueue: string) {
    this.#connection = connection;
    this.#options = { connection, taskQueue, ...testOptions() };
  }

  /** The worker, the first time. */
  async deploy(options: LonghaulOptions): Promise<RunningWorker | undefined> {
    const plugin = new LonghaulPlugin({ inlineSpecs: true, ...options });
    const configured = plugin.configureWorker(this.#options);
    this.#activities = configured.activities as Activities;
    this.#plugins.push(plugin);
    if (this.#plugins.length > 1) return undefined;
    const names = Object.keys(this.#activities);
    const activities = names.map((name) => [
      name,
      (...args: unknown[]) => this.#activities[name]?.(...args),
    ]);
    const worker = await Worker.create({
      ...configured,
      activities: Object.fromEntries(activities) as object,
    });
    const started = run(worker, this.#connection);
    const stop = async (): Promise<void> => {
      await started.stop();
      // Each plugin closes what it opened when its last worker ends.
      const hasEnded = (): Promise<void> => Promise.resolve();
      await Promise.all(this.#plugins.map((one) => one.runWorker(worker, hasEnded)));
    };
    return { ...started, stop };
  }
}
