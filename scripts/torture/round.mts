// One round: a server, two workers, a model, a database; runs and conversations; faults; and the verdict.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Longhaul } from 'longhaul/client';
import { Caller } from './client.mts';
import { expectRound } from './expect.mts';
import { Faults } from './faults.mts';
import { growRound, type Scale } from './grow.mts';
import { openHub, type Arrival, type ModelCall, type Verdict } from './hub.mts';
import { ModelDouble } from './model-double.mts';
import { actsOf, judgeEffects, judgeWorkflows, readEffects, type Figures } from './oracles.mts';
import { People } from './people.mts';
import type { RoundPlan } from './plan.mts';
import { playThread } from './play-thread.mts';
import { playTree, type Theatre } from './play.mts';
import { hashOf, Random } from './random.mts';
import { resetRun } from './reset.mts';
import { Server } from './server.mts';
import { openStore, type Store } from './stores.mts';
import { Progress, terminateAll, whereIs } from './stuck.mts';
import { WorkerPlace } from './workers.mts';

const workersEach = 2;
const taskQueue = 'torture';

export type RoundReport = {
  readonly seed: number;
  readonly seconds: number;
  readonly wrongs: readonly string[];
  readonly runs: number;
  readonly threads: number;
  readonly modelCalls: number;
  readonly modelFaults: number;
  /** Calls that may happen once of which a model was told that nobody knows. */
  readonly unknowns: number;
  /** Calls that may happen once of which a model was told that they were never made. */
  readonly notMade: number;
  readonly effects: number;
  readonly answers: number;
  readonly workersStarted: number;
  readonly serverRestarts: number;
  readonly happened: Faults['happened'];
  readonly toldAway: number;
  readonly figures: Figures;
};

export type RoundOptions = {
  readonly seed: number;
  readonly scale: Scale;
  /** What happens, as it happens. */
  readonly tell: (line: string) => void;
};

/** Runs the round of a seed. Whatever happens, nothing it started is left. */
export async function playRound(options: RoundOptions): Promise<RoundReport> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const onEnd = (cleanup: () => Promise<unknown>): void => void cleanups.push(cleanup);
  try {
    const world = await openWorld(options, onEnd);
    const round = new Round(options, world);
    return await round.play(onEnd);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

type OnEnd = (cleanup: () => Promise<unknown>) => void;

type World = {
  readonly plan: RoundPlan;
  readonly ledger: string;
  readonly store: Store;
  readonly server: Server;
  readonly longhaul: Longhaul;
};

async function openWorld({ seed, scale }: RoundOptions, onEnd: OnEnd): Promise<World> {
  const plan = growRound(seed, scale);
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-torture-'));
  onEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const ledger = join(folder, 'effects.jsonl');
  writeFileSync(ledger, '');
  const store = await openStore(plan.settings.store, folder);
  onEnd(() => store.close());
  const server = await Server.start(join(folder, 'temporal.db'));
  onEnd(() => server.stop());
  const longhaul = await connect({ address: server.address, taskQueue });
  onEnd(() => longhaul.close());
  return { plan, ledger, store, server, longhaul };
}

class Round {
  readonly #options: RoundOptions;
  readonly #world: World;
  readonly #start = Date.now();
  readonly #wrongs = new Set<string>();
  readonly #places: WorkerPlace[] = [];
  readonly #model: ModelDouble;
  readonly #faults: Faults;
  readonly #progress: Progress;
  readonly #caller: Caller;
  readonly #theatre: Theatre;
  /** Trees and threads that have not ended. */
  readonly #open = new Set<string>();
  /** Trees that were taken back, or given up: the server lists executions of theirs as terminated. */
  readonly #forced = new Set<string>();
  readonly #modelCalls = new Map<string, number>();

  constructor(options: RoundOptions, world: World) {
    this.#options = options;
    this.#world = world;
    const { plan, longhaul, server, store } = world;
    const report = (wrong: string): void => this.#report(wrong);
    const expectation = expectRound(plan);
    this.#model = new ModelDouble(expectation, report);
    this.#faults = new Faults(plan.faults, {
      server,
      places: this.#places,
      model: this.#model,
      reset: (draw) => this.#resetOne(draw),
      cutStore: (how, ms) => store.cut(how, ms),
      tell: options.tell,
    });
    this.#progress = new Progress(() => this.#faults.isDisturbed);
    this.#caller = new Caller(report);
    const random = new Random(hashOf(`people of ${plan.seed}`));
    const people = new People(this.#caller, random, actsOf(plan));
    const { memory } = store;
    this.#theatre = { longhaul, caller: this.#caller, people, expectation, memory, report };
  }

  async play(onEnd: OnEnd): Promise<RoundReport> {
    const { plan, longhaul, ledger } = this.#world;
    await this.#startWorkers(onEnd);
    await Promise.all([
      ...plan.trees.map((tree) =>
        this.#attend(tree.id, (signal) => playTree(this.#theatre, tree, { signal })),
      ),
      ...plan.threads.map((thread) =>
        this.#attend(thread.id, (signal) => playThread(this.#theatre, thread, { signal })),
      ),
    ]);
    this.#faults.end();
    const isForced = (owner: string): boolean => this.#forced.has(owner);
    const { notMade } = this.#model.untold;
    for (const wrong of judgeEffects(ledger, plan, { isForced, notMade })) this.#report(wrong);
    const { wrongs, figures } = await this.#caller.insist('the last look', () =>
      judgeWorkflows(longhaul, isForced),
    );
    for (const wrong of wrongs) this.#report(wrong);
    return this.#summary(figures);
  }

  #summary(figures: Figures): RoundReport {
    const { plan, ledger, server } = this.#world;
    return {
      seed: plan.seed,
      seconds: Math.round((Date.now() - this.#start) / 1_000),
      wrongs: [...this.#wrongs],
      runs: plan.trees.length,
      threads: plan.threads.length,
      modelCalls: this.#model.calls,
      modelFaults: this.#model.faultsMet,
      unknowns: this.#model.untold.unknown.size,
      notMade: this.#model.untold.notMade.size,
      effects: readEffects(ledger).length,
      answers: this.#theatre.people.answers,
      workersStarted: this.#places.reduce((sum, { starts }) => sum + starts, 0),
      serverRestarts: server.restarts,
      happened: this.#faults.happened,
      toldAway: this.#caller.toldAway,
      figures,
    };
  }

  #report(wrong: string): void {
    if (!this.#wrongs.has(wrong)) this.#options.tell(`WRONG: ${wrong}`);
    this.#wrongs.add(wrong);
  }

  async #startWorkers(onEnd: OnEnd): Promise<void> {
    const { server, ledger, store } = this.#world;
    const { seed, scale } = this.#options;
    const hub = await openHub({
      arrive: (arrival) => this.#arrive(arrival),
      callModel: (call, response) => this.#callModel(call, response),
    });
    onEnd(() => hub.close());
    const { address } = server;
    const plan = { seed, scale };
    const settings = { address, taskQueue, hub: hub.url, ledger, plan, store: store.url };
    for (let index = 0; index < workersEach; index += 1) {
      const place = new WorkerPlace(settings, (wrong) => this.#report(wrong));
      this.#places.push(place);
      onEnd(() => place.close());
    }
    await Promise.all(this.#places.map((place) => place.polling()));
  }

  async #arrive(arrival: Arrival): Promise<Verdict> {
    const { owner, moment, place } = arrival;
    if (place !== undefined) this.#progress.see(owner, `${moment} ${place}`);
    return await this.#faults.arrive(arrival);
  }

  async #callModel({ pid, body }: ModelCall, response: ServerResponse): Promise<void> {
    const { model, messages } = body as { model: string; messages: readonly unknown[] };
    const owner = model.split('.')[0] ?? '';
    this.#progress.see(owner, `${model} ${messages.length}`);
    this.#cancelInTime(owner);
    await this.#faults.arrive({ pid, moment: 'model asked', owner });
    await this.#model.answer(body, response);
    await this.#faults.arrive({ pid, moment: 'model answered', owner });
  }

  #cancelInTime(owner: string): void {
    const count = (this.#modelCalls.get(owner) ?? 0) + 1;
    this.#modelCalls.set(owner, count);
    const tree = this.#world.plan.trees.find(({ id }) => id === owner);
    if (tree?.cancelAfter !== count) return;
    const cancel = (): Promise<void> => this.#world.longhaul.run(owner).cancel('enough');
    this.#caller.insist(`cancelling ${owner}`, cancel).catch((error: unknown) => {
      this.#report(`${owner} could not be cancelled: ${String(error)}`);
    });
  }

  /** Works until it is done or stuck; one that is stuck is told of and ended. */
  async #attend(owner: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { longhaul } = this.#world;
    const stuck = new AbortController();
    const gaveUp = new Promise<never>((_, reject) => {
      stuck.signal.addEventListener('abort', () => reject(new Error('it is stuck')));
    });
    this.#open.add(owner);
    const stopWatching = this.#progress.watch(owner, () => stuck.abort());
    try {
      await Promise.race([work(stuck.signal), gaveUp]);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#report(`${owner}: ${text}\n${await whereIs(longhaul, owner).catch(String)}`);
      this.#forced.add(owner);
      await terminateAll(longhaul, owner).catch(() => undefined);
    } finally {
      stopWatching();
      this.#open.delete(owner);
      this.#options.tell(`${owner} has ended; open: ${[...this.#open].join(' ')}`);
    }
  }

  async #resetOne(draw: number): Promise<boolean> {
    const runs = [...this.#open].filter((owner) => owner.startsWith('t'));
    const chosen = runs[draw % Math.max(1, runs.length)];
    if (chosen === undefined || !(await resetRun(this.#world.longhaul, chosen, draw))) return false;
    this.#forced.add(chosen);
    this.#progress.forget(chosen);
    this.#options.tell(`${chosen} was reset`);
    return true;
  }
}
