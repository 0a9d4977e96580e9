// The harness of tests of workflows (test/workflow/harness.ts) in the simulator: the same tests, without a server, on virtual time.

import { basename } from 'node:path';
import { Connection } from '@temporalio/client';
import { hashOf } from '../../src/base';
import type { CreateWorkerOptions, LonghaulOptions } from '../../src/worker';
import { variables } from '../servers';
import type { Harness, RunningWorker } from '../workflow/harness';
import { Simulation } from './simulation';
import type { SimWorker } from './worker/sim-worker';
import { bundlePath } from './worker/source-lines';

const graceMs = 1_000;
const cached = process.env['LONGHAUL_TEST_CACHED_WORKFLOWS'];
const cachedWorkflows = cached === undefined ? undefined : Number(cached);

/** Of this test file. All harnesses of a file share a server. */
let shared: { readonly simulation: Simulation; readonly end: () => Promise<void> } | undefined;
let open = 0;
let queues = 0;

/** Who connects to it, such as a command, reaches the simulation. */
const address = 'simulator:7233';
process.env[variables.devServer] = address;
process.env[variables.bundle] ??= bundlePath;

export async function openHarness(_address?: string, prefix = 'test'): Promise<Harness> {
  shared ??= begin();
  open += 1;
  queues += 1;
  const { simulation } = shared;
  const taskQueue = `${prefix}-${queues}`;
  const longhaul = await simulation.client({ taskQueue });
  const running: SimWorker[] = [];
  let deployed: SimWorker | undefined;
  const start = ({ workerOptions = {}, ...options }: CreateWorkerOptions): SimWorker => {
    const { maxCachedWorkflows = cachedWorkflows, interceptors } = workerOptions;
    const { workflowBundle, activities } = workerOptions;
    const dataConverter = options.dataConverter ?? workerOptions.dataConverter;
    const worker = simulation.worker({
      taskQueue,
      longhaul: longhaulOf(options),
      mayFail: true,
      interceptors: interceptors?.activity ?? [],
      ...(dataConverter && { dataConverter }),
      ...(activities && { activities }),
      ...(workflowBundle && { workflows: workflowBundle }),
      ...(maxCachedWorkflows !== undefined && { cache: maxCachedWorkflows }),
    });
    running.push(worker);
    return worker;
  };
  return {
    longhaul,
    taskQueue,
    connect: (options) => simulation.client({ taskQueue, ...options }),
    worker: async (options) => {
      const worker = start(options);
      const { connection } = worker.activities;
      let stopping: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopping ??= worker.shutDown(graceMs));
      return await Promise.resolve({ connection, stop } as unknown as RunningWorker);
    },
    activities: async (activities) => {
      queues += 1;
      const queue = `activities-${queues}`;
      running.push(simulation.worker({ taskQueue: queue, longhaul: {}, activities }));
      return await Promise.resolve(queue);
    },
    deploy: async (options) => {
      if (deployed === undefined) deployed = start(options);
      else {
        const longhaul = longhaulOf(options);
        const { id: identity, awake } = deployed;
        deployed.activities = simulation.activities({ identity, taskQueue, longhaul }, awake);
      }
      return await Promise.resolve();
    },
    close: async () => {
      await Promise.all(running.map((worker) => worker.shutDown(graceMs)));
      await longhaul.close();
      open -= 1;
      if (open > 0) return;
      await shared?.end();
      shared = undefined;
    },
  };
}

function longhaulOf(options: Omit<CreateWorkerOptions, 'workerOptions'>): LonghaulOptions {
  const { dataConverter: _, ...longhaul } = options;
  return { inlineSpecs: true, ...longhaul };
}

function begin(): NonNullable<typeof shared> {
  const { testPath = '' } = expect.getState();
  const simulation = new Simulation(Number.parseInt(hashOf(basename(testPath)).slice(0, 8), 16));
  const stop = simulation.inBackground();
  const { lazy } = Connection;
  Connection.lazy = (options) =>
    options?.address === address
      ? (simulation.connection() as Connection)
      : lazy.call(Connection, options);
  return {
    simulation,
    end: async () => {
      Connection.lazy = lazy;
      await stop();
      Simulation.end();
    },
  };
}
