// The table on a real dev server: one worker serves all scripts, with each script's own code. The worker knows the script by the key in its workflow id.

import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { connect, type Longhaul } from 'longhaul/client';
import { LonghaulPlugin, type LonghaulOptions } from 'longhaul/worker';
import { devServerAddress, workflowsInThread } from '../../servers';
import { quietRuntime } from '../../workflow/quiet';
import type { Activities, Script } from './kit';
import { workflowsOf } from '../worker/next-build';
import { play, type Playing } from './play';

type Code = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** Activities of scripts, beside Longhaul's. */
const ownActivities = ['charge'];

export class RealEngine {
  readonly #taskQueue = `conformance-${randomBytes(6).toString('hex')}`;
  readonly #address = devServerAddress();
  readonly #code = new Map<string, Code>();
  readonly #ends: (() => Promise<void>)[] = [];
  /** What each task queue's worker is. Longhaul's activities ask who else polls. */
  readonly #workers = new Map<string, Partial<WorkerOptions>>();
  #longhaul: Longhaul | undefined;
  #count = 0;

  async open(): Promise<void> {
    quietRuntime();
    this.#longhaul = await connect({ address: this.#address, taskQueue: this.#taskQueue });
    this.#ends.push(() => this.#longhaul?.close() ?? Promise.resolve());
    await this.#serve(this.#taskQueue);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }

  async play(script: Script): Promise<Playing> {
    this.#count += 1;
    const key = `${this.#taskQueue}-${this.#count}-`;
    if (this.#longhaul === undefined) throw new Error('the engine is not open');
    const longhaul = script.startsUnserved ? await this.#unserved(key) : this.#longhaul;
    let stop = (): Promise<void> => Promise.resolve();
    return await play(script, {
      key,
      longhaul,
      deploy: async (options, activities, build) => {
        if (script.startsUnserved === true) {
          await stop();
          stop = await this.#serve(longhaul.taskQueue, build);
        }
        this.#code.set(key, this.#codeOf(longhaul.taskQueue, options, activities));
      },
    });
  }

  async #unserved(taskQueue: string): Promise<Longhaul> {
    const longhaul = await connect({ address: this.#address, taskQueue });
    this.#ends.push(() => longhaul.close());
    return longhaul;
  }

  #codeOf(taskQueue: string, options: LonghaulOptions, activities: Activities): Code {
    const configured = new LonghaulPlugin(options).configureWorker({
      taskQueue,
      ...this.#workers.get(taskQueue),
      ...workflowsInThread(),
    });
    return { ...(configured.activities as Code), ...(activities as Code) };
  }

  async #serve(taskQueue: string, build = 0): Promise<() => Promise<void>> {
    const connection = await NativeConnection.connect({ address: this.#address });
    const options: WorkerOptions = {
      connection,
      taskQueue,
      ...workflowsInThread(),
      ...(build > 0 && { workflowBundle: workflowsOf(build) }),
      shutdownGraceTime: '1s',
    };
    const configured = new LonghaulPlugin().configureWorker(options);
    const { identity = '' } = configured;
    this.#workers.set(taskQueue, { connection, identity });
    const names = [...Object.keys(configured.activities ?? {}), ...ownActivities];
    const activities = names.map((name) => [name, (...args: unknown[]) => this.#run(name, args)]);
    const worker = await Worker.create({
      ...configured,
      activities: Object.fromEntries(activities) as object,
    });
    const running = worker.run();
    let ending: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      worker.shutdown();
      await running;
      await connection.close();
    };
    const stop = (): Promise<void> => (ending ??= end());
    this.#ends.push(stop);
    return stop;
  }

  #run(name: string, args: unknown[]): unknown {
    const { workflowExecution } = Context.current().info;
    const workflowId = workflowExecution?.workflowId ?? '';
    const key = [...this.#code.keys()].find((each) => workflowId.includes(each));
    const run = key === undefined ? undefined : this.#code.get(key)?.[name];
    if (run === undefined) throw new Error(`no script has ${name} for ${workflowId}`);
    return run(...args);
  }
}
