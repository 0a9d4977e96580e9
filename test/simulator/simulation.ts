// One simulation: a world, a server, workers and clients, and the loop that lets one thing after another happen.

import { connect, type ConnectOptions, type Longhaul } from 'longhaul/client';
import type { ConnectionLike } from '@temporalio/client';
import { fakeTime, type FakeTime } from './fake-time';
import { SimServer } from './server/server';
import { SimService } from './server/service';
import { ActivityHost, type HostOptions, type LonghaulOptions } from './worker/activity-host';
import { NonDeterminism } from './core/operations';
import { whenRealTimeIsUsed } from './worker/sandbox';
import { SimWorker } from './worker/sim-worker';
import { withSourceLines } from './worker/source-lines';
import { Chance, World } from './world';

export type SimWorkerSettings = {
  readonly taskQueue?: string;
  readonly longhaul: LonghaulOptions;
  /** The user's own, beside Longhaul's. */
  readonly activities?: HostOptions['activities'];
  readonly dataConverter?: HostOptions['dataConverter'];
  /** Default: those of Longhaul. */
  readonly workflows?: HostOptions['workflows'];
  /** How many runs it keeps. Default 100. */
  readonly cache?: number;
  readonly interceptors?: HostOptions['interceptors'];
  /** Whether its workflow code may fail a task, or how. By default the seed has failed then. */
  readonly mayFail?: boolean | ((error: Error) => boolean);
};

const defaultQueue = 'longhaul';
/** A run is rebuilt after one task in so many. */
const tasksPerRebuild = 20;
/** Of one piece of work, in virtual time. */
const most = { steps: 1_000_000, ms: 30 * 86_400_000 };

let time: FakeTime | undefined;
/** The seed of the simulation that runs has failed. */
let failSeed: ((how: string, error: unknown) => void) | undefined;

/** A rejection that nobody handles fails the seed under which it happens. */
function onRejection(reason: unknown): void {
  if (failSeed === undefined) throw reason;
  failSeed('nobody handles a rejection', reason);
}

function begin(): FakeTime {
  process.on('unhandledRejection', onRejection);
  whenRealTimeIsUsed((error) => failSeed?.('real time', error));
  return fakeTime();
}

export class Simulation {
  readonly world: World;
  readonly server: SimServer;
  readonly #service: SimService;
  /** What is wrong with the seed. */
  readonly #wrong: unknown[] = [];
  readonly #time: FakeTime;
  /** Apart from the world's, so that the check does not change what happens. */
  readonly #rebuilds: Chance;
  readonly #workers: SimWorker[] = [];

  constructor(seed: number) {
    time ??= begin();
    this.#time = time;
    this.#time.clock.reset();
    this.world = new World(seed, this.#time.clock);
    this.#time.seed(this.world.chance);
    this.#rebuilds = new Chance(~seed);
    this.server = new SimServer(this.world);
    this.#service = new SimService(this.server);
  }

  #fail(how: string, error: unknown): void {
    const stack = (error as { stack?: string } | undefined)?.stack ?? String(error);
    this.#wrong.push(new Error(`${how}: ${withSourceLines(stack)}`, { cause: error }));
  }

  worker({
    taskQueue = defaultQueue,
    cache = 100,
    mayFail = false,
    ...settings
  }: SimWorkerSettings): SimWorker {
    const id = `worker-${this.#workers.length + 1}`;
    const worker: SimWorker = new SimWorker(this.server, {
      id,
      taskQueue,
      activities: this.activities(
        { identity: id, taskQueue, ...settings },
        async () => await worker.awake(),
      ),
      cache,
      slowestTask: 30,
      mayFail:
        typeof mayFail === 'function'
          ? mayFail
          : (error) => mayFail && !(error instanceof NonDeterminism),
      isRebuilt: () => this.#rebuilds.below(tasksPerRebuild) === 0,
      work: (work) => void work.catch((error: unknown) => this.#wrong.push(error)),
      onWrong: (error) => this.#wrong.push(error),
    });
    this.#workers.push(worker);
    return worker;
  }

  /** `awake`: as of the worker that makes them. */
  activities(options: Omit<HostOptions, 'connection'>, awake: () => Promise<void>): ActivityHost {
    return new ActivityHost({ connection: this.#service.connect(awake), ...options });
  }

  connection(): ConnectionLike {
    return this.#service.connect();
  }

  async client(options: ConnectOptions = {}): Promise<Longhaul> {
    return await connect({ ...options, connection: this.connection() });
  }

  /** Lets things happen while other work goes on, until the returned function is called. That throws if the simulation went wrong. */
  inBackground(): () => Promise<void> {
    let isOver = false;
    failSeed = (how, error) => this.#fail(how, error);
    const driven = (async () => {
      while (!isOver && this.#wrong.length === 0) {
        await this.#time.idle();
        this.world.step();
      }
    })();
    return async () => {
      isOver = true;
      await driven;
      failSeed = undefined;
      if (this.#wrong.length > 0) throw this.#wrong[0];
    };
  }

  /** Time and chance are real again. */
  static end(): void {
    time?.end();
    time = undefined;
    process.off('unhandledRejection', onRejection);
  }

  /** Lets things happen until the work is done. `onStep` is called for each thing. */
  async run<Result>(
    work: () => Promise<Result>,
    onStep: () => void = () => undefined,
  ): Promise<Result> {
    failSeed = (how, error) => this.#fail(how, error);
    try {
      return await this.#run(work, onStep);
    } finally {
      for (const worker of this.#workers) worker.end();
      failSeed = undefined;
    }
  }

  async #run<Result>(work: () => Promise<Result>, onStep: () => void): Promise<Result> {
    const until = this.world.now + most.ms;
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    for (let step = 0; ; step += 1) {
      await this.#time.settled();
      onStep();
      if (this.#wrong.length > 0) throw this.#wrong[0];
      if (isDone) return await done;
      if (step > most.steps || this.world.now > until)
        throw new Error('the simulation does not end');
      if (!this.world.step()) throw new Error('nothing happens any more, and the work is not done');
    }
  }
}
