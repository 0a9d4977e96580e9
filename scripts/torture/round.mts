// One round: a server, two workers, a model, a database; runs and conversations; faults; and the verdict.

import type { ServerResponse } from 'node:http';
import { Asides } from './asides.mts';
import { Caller, errorText } from './client.mts';
import { Elsewhere } from './elsewhere.mts';
import { expectRound } from './expect.mts';
import { Faults } from './faults.mts';
import { watchEndless } from './endless.mts';
import type { Engine, OnEnd, Place, World } from './engine.mts';
import type { Scale } from './random-plan.mts';
import type { Arrival, McpCall, ModelCall, Verdict } from './hub.mts';
import { ModelDouble } from './model-double.mts';
import {
  actsOf,
  judgeEffects,
  judgeWorkflows,
  noFigures,
  ownerOf,
  type Figures,
} from './oracles.mts';
import { forgeAnswer, People } from './people.mts';
import { runThread } from './run-thread.mts';
import { runTree, type TortureSetup } from './run-tree.mts';
import { hashOf, Random } from './random.mts';
import { pictureType } from './payload.mts';
import { Resets } from './resets.mts';
import type { Effect } from './runners.mts';
import { captionOf, drawnAt, stateKeyOf, storedOf } from './texts.mts';
import { Progress, terminateAll, whereIs } from './stuck.mts';

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
  readonly storeKills: number;
  /** Too long, or over another limit, and refused by its code. */
  readonly refusals: number;
  readonly budgetQuestions: number;
  /** Votes of people who may not decide, which were refused. */
  readonly forbidden: number;
  /** Messages that runs took while they worked. */
  readonly asides: number;
  readonly laterResults: number;
  readonly forgedTokens: number;
  readonly summaries: number;
  /** Runs whose stream somebody followed. */
  readonly watched: number;
  /** Of runs, of those below others, of turns: only those that were done. */
  readonly resets: readonly string[];
  readonly happened: Faults['happened'];
  readonly met: Faults['met'];
  readonly toldAway: number;
  readonly figures: Figures;
};

export type RoundOptions = {
  readonly seed: number;
  readonly scale: Scale;
  /** What happens, as it happens. */
  readonly tell: (line: string) => void;
  readonly engine: Engine;
};

/** Runs the round of a seed. Whatever happens, nothing it started is left. */
export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const cleanups: Parameters<OnEnd>[0][] = [];
  const onEnd: OnEnd = (cleanup) => void cleanups.push(cleanup);
  let isWell = false;
  try {
    const world = await options.engine.open(options, onEnd);
    const report = await new Round(options, world).run();
    isWell = report.wrongs.length === 0;
    return report;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup(isWell);
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #world: World;
  readonly #start = Date.now();
  readonly #wrongs = new Set<string>();
  readonly #places: Place[] = [];
  readonly #model: ModelDouble;
  readonly #faults: Faults;
  readonly #progress: Progress;
  readonly #caller: Caller;
  readonly #setup: TortureSetup;
  /** Trees and threads that have not ended. */
  readonly #open = new Set<string>();
  /** Trees and threads that were given up: the server lists executions of theirs as terminated. */
  readonly #forced = new Set<string>();
  readonly #resets: Resets;
  readonly #asides: Asides;
  readonly #elsewhere: Elsewhere;
  readonly #modelCalls = new Map<string, number>();

  constructor(options: RoundOptions, world: World) {
    this.#options = options;
    this.#world = world;
    const { plan, longhaul, server, store } = world;
    const report = (wrong: string): void => this.#report(wrong);
    const expectation = expectRound(plan);
    this.#model = new ModelDouble(expectation, report);
    this.#faults = new Faults(plan, {
      server,
      places: this.#places,
      model: this.#model,
      reset: (how, draw) => this.#resets.one(how, draw),
      killStore: (ms) => store.kill(ms),
      cutStore: (how, ms) => store.cut(how, ms),
      tell: options.tell,
    });
    this.#progress = new Progress({
      isDisturbed: () => this.#faults.isDisturbed || this.#resets.areUnderWay,
      share: () => options.engine.share(),
    });
    this.#resets = new Resets(longhaul, {
      open: () => [...this.#open],
      onDone: (owner, what) => {
        this.#progress.forget(owner);
        this.#elsewhere.giveAgain(owner);
        options.tell(what);
      },
      report,
    });
    this.#caller = new Caller(report);
    this.#asides = new Asides({ longhaul, caller: this.#caller, report });
    const acts = actsOf(plan);
    this.#elsewhere = new Elsewhere({ longhaul, caller: this.#caller, acts, report });
    const random = new Random(hashOf(`people of ${plan.seed}`));
    const trees = new Map(plan.trees.map((tree) => [tree.id, tree]));
    const caller = this.#caller;
    const { isSigned } = plan.settings;
    const forge = (workflowId: string, inputId: string) =>
      forgeAnswer(longhaul, workflowId, inputId);
    const people = new People({ caller, random, acts, trees, isSigned, forge, report });
    const { memory, state } = store;
    const wasReset = (workflowId: string): boolean => this.#resets.touched(workflowId);
    const sessions = state.session;
    const settles: TortureSetup['settles'] = (owner, ended) => this.#resets.settles(owner, ended);
    const goesOn = (owner: string): void => this.#resets.goesOn(owner);
    const { rolls } = this.#model;
    const shared = { longhaul, caller, people, asides: this.#asides, expectation, rolls };
    this.#setup = { ...shared, memory, sessions, wasReset, settles, goesOn, report, refusals: [] };
  }

  async run(): Promise<RoundReport> {
    try {
      await this.#fillStores();
      await this.#startWorkers();
      await this.#runAll();
      return this.#summary(await this.#judge());
    } catch (error) {
      this.#report(`the round broke: ${errorText(error)}`);
      return this.#summary(noFigures);
    }
  }

  async #fillStores(): Promise<void> {
    const { plan, store } = this.#world;
    const { app, user, session } = store.state;
    for (const tree of plan.trees.filter(({ hasState }) => hasState)) {
      const key = stateKeyOf(tree);
      const stored = storedOf(tree);
      await app.save(key, stored.app);
      await user.save(key, stored.user);
      await session.save(key, stored.session);
    }
  }

  async #runAll(): Promise<void> {
    const { plan, longhaul } = this.#world;
    const stop = watchEndless(longhaul, (owner, wrong) => {
      this.#forced.add(owner);
      this.#report(wrong);
    });
    await Promise.all([
      ...plan.trees.map((tree) =>
        this.#watch(tree.id, (signal) => runTree(this.#setup, tree, { signal })),
      ),
      ...plan.threads.map((thread) =>
        this.#watch(thread.id, (signal) => runThread(this.#setup, thread, { signal })),
      ),
    ]);
    stop();
    this.#faults.end();
  }

  async #judge(): Promise<Figures> {
    const { plan, longhaul, ledger } = this.#world;
    const isForced = (owner: string): boolean =>
      this.#forced.has(owner) || this.#resets.touched(owner);
    const mayLeaveOrphans = (owner: string): boolean =>
      this.#forced.has(owner) || this.#resets.wasRaw(owner);
    // Who loses a race goes on for a while, and has effects.
    const { wrongs, figures } = await this.#caller.insist('the last look', () =>
      judgeWorkflows(longhaul, { isForced, mayLeaveOrphans }),
    );
    const { notMade } = this.#model.untold;
    for (const { workflowId, inputId } of this.#setup.people.askedAgain)
      if (!isForced(ownerOf(workflowId)))
        this.#report(`${workflowId} took the answer to ${inputId}, and asked again`);
    for (const wrong of wrongs) this.#report(wrong);
    for (const wrong of judgeEffects(ledger.read(), plan, { isForced, notMade }))
      this.#report(wrong);
    return figures;
  }

  #summary(figures: Figures): RoundReport {
    const { plan, ledger, server } = this.#world;
    const { happened, met } = this.#faults;
    const { people } = this.#setup;
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
      effects: ledger.read().length,
      answers: people.answers,
      refusals: people.refused + this.#setup.refusals.length,
      budgetQuestions: people.raises,
      forbidden: people.forbidden,
      asides: this.#asides.taken,
      laterResults: this.#elsewhere.given,
      forgedTokens: this.#elsewhere.forged,
      summaries: this.#model.summaries,
      watched: plan.trees.filter(({ isWatched }) => isWatched).length,
      workersStarted: this.#places.reduce((sum, { starts }) => sum + starts, 0),
      serverRestarts: server.restarts,
      storeKills: happened.filter(({ kind }) => kind === 'kill store').length,
      resets: this.#resets.done,
      happened,
      met,
      toldAway: this.#caller.toldAway,
      figures,
    };
  }

  #report(wrong: string): void {
    if (!this.#wrongs.has(wrong)) this.#options.tell(`WRONG: ${wrong}`);
    this.#wrongs.add(wrong);
  }

  async #startWorkers(): Promise<void> {
    const handlers = {
      arrive: (arrival: Arrival) => this.#arrive(arrival),
      callModel: (call: ModelCall, response: ServerResponse) => this.#callModel(call, response),
      callMcp: (call: McpCall) => this.#callMcp(call),
      later: this.#elsewhere.take,
    };
    const onWrong = (wrong: string): void => this.#report(wrong);
    this.#places.push(...(await this.#world.openWorkers(handlers, onWrong)));
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
    this.#interveneInTime(owner);
    await this.#faults.arrive({ pid, moment: 'model asked', owner });
    await this.#model.answer(body, response);
    await this.#faults.arrive({ pid, moment: 'model answered', owner });
  }

  /** The MCP server draws a picture, which is an effect like those of other tools. */
  async #callMcp({ pid, args, key }: McpCall): Promise<object> {
    const { place, edited = false } = args;
    const owner = place.split('.')[0] ?? '';
    await this.#arrive({ pid, moment: 'effect due', owner, place });
    const effect: Effect = { tool: 'picture', place, key, edited, pid };
    this.#world.ledger.record(effect);
    await this.#arrive({ pid, moment: 'effect made', owner, place });
    return {
      content: [
        { type: 'text', text: captionOf(place) },
        { type: 'image', data: drawnAt(args), mimeType: pictureType },
      ],
    };
  }

  /** People say something, or cancel, when so many model calls have come in. */
  #interveneInTime(owner: string): void {
    const count = (this.#modelCalls.get(owner) ?? 0) + 1;
    this.#modelCalls.set(owner, count);
    const tree = this.#world.plan.trees.find(({ id }) => id === owner);
    if (tree !== undefined) this.#asides.see(tree, count);
    for (const { afterCalls, draw } of tree?.resetsBelow ?? [])
      if (afterCalls === count) void this.#resets.below(owner, draw);
    if (tree?.cancelAfter !== count) return;
    const cancel = (): Promise<void> => this.#world.longhaul.run(owner).cancel('enough');
    if (tree.isResetWhenCancelled) void this.#resets.ofCancelled(owner, count);
    this.#caller.insist(`cancelling ${owner}`, cancel).catch((error: unknown) => {
      this.#report(`${owner} could not be cancelled: ${String(error)}`);
    });
  }

  /** Works until it is done or stuck; one that is stuck is told of and ended. */
  async #watch(owner: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { longhaul } = this.#world;
    const stuck = new AbortController();
    const gaveUp = new Promise<never>((_, reject) => {
      stuck.signal.addEventListener('abort', () => reject(new Error('it is stuck')));
    });
    this.#open.add(owner);
    const stopWatching = this.#progress.watch(owner, () => stuck.abort());
    try {
      await Promise.race([work(stuck.signal), gaveUp]);
      await this.#resets.settles(owner);
    } catch (error) {
      this.#report(
        `${owner}: ${errorText(error)}\n${await whereIs(longhaul, owner).catch(String)}`,
      );
      this.#forced.add(owner);
      await terminateAll(longhaul, owner).catch(() => undefined);
    } finally {
      stopWatching();
      this.#open.delete(owner);
      this.#options.tell(`${owner} has ended; open: ${[...this.#open].join(' ')}`);
    }
  }
}
