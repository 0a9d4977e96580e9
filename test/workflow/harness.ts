import { randomUUID } from 'node:crypto';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { connect, type Longhaul } from '../../src/client';
import { createWorker, type CreateWorkerOptions } from '../../src/worker';
import { devServerAddress, workflowBundlePath } from '../servers';
import { quietRuntime } from './quiet';

/** One client and any number of workers on a task queue of their own, against the dev server of this Jest run. */
export type Harness = {
  readonly longhaul: Longhaul;
  readonly taskQueue: string;
  worker(options: CreateWorkerOptions): Promise<RunningWorker>;
  close(): Promise<void>;
};

export type RunningWorker = { readonly worker: Worker; stop(): Promise<void> };

export async function openHarness(address = devServerAddress()): Promise<Harness> {
  const taskQueue = `test-${randomUUID()}`;
  const longhaul = await connect({ address, taskQueue });
  const running: RunningWorker[] = [];
  return {
    longhaul,
    taskQueue,
    worker: async (options) => {
      // A connection each: two workers on one task queue may not share one.
      quietRuntime();
      const native = await NativeConnection.connect({ address });
      const started = await runWorker(native, { taskQueue, ...options });
      running.push(started);
      return started;
    },
    close: async () => {
      await Promise.all(running.map((started) => started.stop()));
      await longhaul.close();
    },
  };
}

async function runWorker(
  connection: NativeConnection,
  options: CreateWorkerOptions,
): Promise<RunningWorker> {
  const cached = process.env['LONGHAUL_TEST_CACHED_WORKFLOWS'];
  const worker = await createWorker({
    connection,
    ...options,
    workerOptions: {
      workflowBundle: { codePath: workflowBundlePath() },
      shutdownGraceTime: '1s',
      ...(cached !== undefined && { maxCachedWorkflows: Number(cached) }),
      ...options.workerOptions,
    },
  });
  const ended = worker.run();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
    await connection.close();
  };
  return { worker, stop: () => (stopping ??= stop()) };
}
