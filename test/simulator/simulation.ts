// One simulation: a world, a server, workers and clients, and the loop that lets one thing after another happen.

import { connect, type ConnectOptions, type Longhaul } from 'longhaul/client';
import { Client } from '@temporalio/client';
import { fakeTime, type FakeTime } from './fake-time';
import { SimServer } from './server/server';
import { SimService } from './server/service';
import { ActivityHost, type HostOptions, type LonghaulOptions } from './worker/activity-host';
import { SimWorker } from './worker/sim-worker';
import { World } from './world';

export type SimWorkerSettings = {
  readonly taskQueue?: string;
  readonly longhaul: LonghaulOptions;
  /** The user's own, beside Longhaul's. */
  readonly activities?: HostOptions['activities'];
  /** How many runs it keeps. Default 100. */
  readonly cache?: number;
  readonly interceptors?: HostOptions['interceptors'];
};

const defaultQueue = 'longhaul';
/** Of one piece of work, in virtual time. */
const most = { steps: 1_000_000, ms: 30 * 86_400_000 };

let time: FakeTime | undefined;

export class Simulation {
  readonly world: World;
  readonly server: SimServer;
  readonly #service: SimService;
  /** What is wrong with the seed. */
  readonly #wrong: unknown[] = [];
  readonly #time: FakeTime;
  #workers = 0;

  constructor(seed: number) {
    time ??= fakeTime();
    this.#time = time;
    this.#time.clock.reset();
    this.world = new World(seed, this.#time.clock);
    this.#time.seed(this.world.chance);
    this.server = new SimServer(this.world);
    this.#service = new SimService(this.server);
  }

  worker({ taskQueue = defaultQueue, cache = 100, ...settings }: SimWorkerSettings): SimWorker {
    this.#workers += 1;
    const id = `worker-${this.#workers}`;
    const client = new Client({ connection: this.#service.connection, namespace: 'default' });
    return new SimWorker(this.server, {
      id,
      taskQueue,
      activities: new ActivityHost({ identity: id, taskQueue, client, ...settings }),
      cache,
      slowestTask: 30,
      work: (work) => void work.catch((error: unknown) => this.#wrong.push(error)),
      onWrong: (error) => this.#wrong.push(error),
    });
  }

  async client(options: ConnectOptions = {}): Promise<Longhaul> {
    return await connect({ ...options, connection: this.#service.connection });
  }

  /** Lets things happen until the work is done. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const until = this.world.now + most.ms;
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    for (let step = 0; ; step += 1) {
      await this.#time.settled();
      if (this.#wrong.length > 0) throw this.#wrong[0];
      if (isDone) return await done;
      if (step > most.steps || this.world.now > until)
        throw new Error('the simulation does not end');
      if (!this.world.step()) throw new Error('nothing happens any more, and the work is not done');
    }
  }
}
