// One order of versions: every case is begun with the first version and ended with the second.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VersionName, Versions } from './builds.mts';
import { cases, type Case } from './cases.mts';
import type { Act, Facts } from './client.mts';
import type { Hub } from './hub.mts';
import { VersionProcess } from './processes.mts';

export type VersionOrder = {
  readonly title: string;
  readonly first: VersionName;
  readonly second: VersionName;
  /** Workers of both poll all the time. `forgetful`: they keep no workflow, so each of its tasks may go to either. */
  readonly together?: 'forgetful' | 'keeping';
  /** Why a case waits on the second version. It then ends on the first. */
  readonly waits?: (of: Case) => string | undefined;
};

/** What was seen of a case. */
export type Seen = Facts & { readonly effects: readonly string[]; readonly failed?: string };

export type World = {
  readonly address: string;
  readonly hub: Hub;
  readonly folders: Versions;
  readonly scratch: string;
};

const holdMs = 120_000;

/** Each case has the name of the order and its number. */
type Trial = { readonly case: Case; readonly tag: string; waited?: string; failed?: string };

export class OrderRun {
  readonly #world: World;
  readonly #order: VersionOrder;
  readonly #name: string;
  readonly #trials: readonly Trial[];

  constructor(
    world: World,
    order: VersionOrder,
    { number, only }: { readonly number: number; readonly only: string },
  ) {
    this.#world = world;
    this.#order = order;
    this.#name = `order-${number}`;
    this.#trials = cases
      .map((one, index): Trial => ({ case: one, tag: `${this.#name}-case-${index}` }))
      .filter((trial) => trial.case.title.includes(only));
  }

  async run(): Promise<ReadonlyMap<Case, Seen>> {
    const { first, second, together } = this.#order;
    let workers = await this.#workers(first);
    if (together) workers = [...workers, ...(await this.#workers(second))];
    const held = Promise.all(this.#trials.map((trial) => this.#held(trial)));
    const begun = await this.#each(first, 'begin', this.#trials);
    await held;
    if (!together) workers = await this.#replace(workers, second);
    this.#openGates();
    const waiting = this.#trials.filter((trial) => this.#order.waits?.(trial.case));
    await this.#each(second, 'touch', waiting);
    const free = this.#trials.filter((trial) => !waiting.includes(trial));
    const ended = await this.#each(second, 'end', free);
    if (waiting.length > 0) workers = await this.#replace(workers, first);
    const endedLater = await this.#each(first, 'end', waiting);
    await this.#stop(workers);
    return new Map(
      this.#trials.map((trial) => [trial.case, this.#seen(trial, [begun, ended, endedLater])]),
    );
  }

  #seen(trial: Trial, acts: readonly ReadonlyMap<Trial, Facts>[]): Seen {
    const facts = acts.flatMap((act) => act.get(trial) ?? []);
    const { effects } = this.#world.hub;
    const own = effects.filter(({ what }) => what.split(' ')[0] === trial.tag);
    const named = new Map(own.map(({ what, key }) => [`${what} ${key}`, what]));
    const isInline = trial.case.title.startsWith('inline');
    const whats = isInline ? [...named.values()] : own.map(({ what }) => what);
    return {
      ...facts.at(-1),
      ...(trial.waited !== undefined && { waited: trial.waited }),
      ...(trial.failed !== undefined && { failed: trial.failed }),
      effects: whats.map((what) => what.slice(trial.tag.length + 1)).toSorted(),
      troubles: facts.flatMap(({ troubles }) => troubles),
    };
  }

  /** One client of the version does it for all. What failed before is left out. */
  async #each(
    version: VersionName,
    act: Act,
    trials: readonly Trial[],
  ): Promise<ReadonlyMap<Trial, Facts>> {
    const facts = new Map<Trial, Facts>();
    if (trials.length === 0) return facts;
    const clients = new Map<string, VersionProcess>();
    for (const queue of ['shut', 'killed']) clients.set(queue, await this.#client(version, queue));
    const one = async (trial: Trial): Promise<void> => {
      if (trial.failed !== undefined) return;
      const client = clients.get(trial.case.killed ? 'killed' : 'shut') as VersionProcess;
      try {
        const seen = await client.ask({ case: trial.case, tag: trial.tag, act });
        facts.set(trial, seen);
        if (seen.waited !== undefined) trial.waited = seen.waited;
      } catch (error) {
        trial.failed = `${act}: ${String(error)}`;
      }
    };
    await Promise.all(trials.map(one));
    for (const client of clients.values()) client.kill();
    return facts;
  }

  async #held({ case: { inFlight }, tag }: Trial): Promise<void> {
    const deadline = Date.now() + holdMs;
    while (inFlight && !this.#world.hub.isHeld(tag)) {
      if (Date.now() > deadline) throw new Error(`the call of ${tag} did not begin`);
      await sleep(50);
    }
    if (this.#order.together) this.#world.hub.open(tag);
  }

  #openGates(): void {
    for (const { tag } of this.#trials) this.#world.hub.open(tag);
  }

  /** Calls of the workers that shut down end meanwhile; those of the killed ones are held until then. */
  async #replace(
    [shut, killed]: readonly VersionProcess[],
    version: VersionName,
  ): Promise<readonly VersionProcess[]> {
    this.#check([shut, killed]);
    killed?.kill();
    if (shut?.isRunning) await shut.shutDown();
    for (const trial of this.#trials) if (!trial.case.killed) this.#world.hub.open(trial.tag);
    await Promise.all([shut?.ended(), killed?.ended()]);
    return await this.#workers(version);
  }

  async #stop(workers: readonly VersionProcess[]): Promise<void> {
    this.#check(workers);
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map((worker) => worker.ended()));
  }

  /** No run may take its worker down. */
  #check(workers: readonly (VersionProcess | undefined)[]): void {
    if (workers.every((worker) => worker?.isRunning)) return;
    for (const trial of this.#trials) trial.failed ??= 'a worker ended by itself';
  }

  #settings(queue: string) {
    const { address, hub, scratch } = this.#world;
    const store = join(scratch, `${this.#name}-${process.pid}.db`);
    return { address, taskQueue: `${this.#name}-${queue}`, hub: hub.url, store };
  }

  async #client(version: VersionName, queue: string): Promise<VersionProcess> {
    const folder = this.#world.folders[version];
    const name = `${this.#name}-client`;
    return await VersionProcess.start('client', { folder, name }, this.#settings(queue));
  }

  /** One for each way to end. */
  async #workers(version: VersionName): Promise<readonly VersionProcess[]> {
    const folder = this.#world.folders[version];
    const { hub } = this.#world;
    const isForgetful = this.#order.together === 'forgetful';
    return await Promise.all(
      ['shut', 'killed'].map((queue) => {
        const place = { folder, name: `${this.#name}-worker-${queue}` };
        const settings = { ...this.#settings(queue), modelUrl: hub.modelUrl, isForgetful };
        return VersionProcess.start('worker', place, settings);
      }),
    );
  }
}
