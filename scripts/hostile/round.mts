// One round: a server, two workers that die, a handler, fifty people who mean harm, and the verdict.

import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../torture/random.mts';
import { Attacker } from './attacker.mts';
import { Effects } from './effects.mts';
import type { HandlerFigures } from './handler.mts';
import type { Judge } from './judge.mts';
import { openWorld, type Opened } from './opened.mts';
import type { Person } from './people.mts';
import { drawPlay, firstPlay, play } from './plays.mts';
import { closeIdle } from './request.mts';
import { nameOf } from './routes.mts';
import { warmUp } from './warm-up.mts';

const peopleAtOnce = 16;
const playsEach = 7;
/** A round that is late plays no more. */
const longestAttackMs = 45_000;
const mostRequestsAKill = 150;

/** After the last request, readers linger for five seconds, and calls that are under way end. */
const quietWithinMs = 20_000;
const quietMs = 4_000;

const MB = 1_000_000;
/** What caches may keep. */
const mostGrowth = 24 * MB;

export type RoundReport = {
  readonly seed: number;
  readonly seconds: number;
  readonly wrongs: readonly string[];
  readonly requests: number;
  readonly statuses: Judge['statuses'];
  readonly codes: Judge['codes'];
  /** Operations that no play tried. */
  readonly untried: readonly string[];
  readonly runs: number;
  readonly claims: number;
  readonly effects: number;
  readonly modelCalls: number;
  readonly workersStarted: number;
  readonly before: HandlerFigures;
  readonly after: HandlerFigures;
};

export type RoundOptions = {
  readonly seed: number;
  /** What happens, as it happens. */
  readonly tell: (line: string) => void;
};

/** Runs the round of a seed. Whatever happens, nothing it started is left. */
export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const onEnd = (cleanup: () => Promise<unknown>): void => void cleanups.push(cleanup);
  try {
    return await new Round(options, await openWorld({ ...options, onEnd })).run();
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #opened: Opened;
  readonly #start = Date.now();
  #isOver = false;

  constructor(options: RoundOptions, opened: Opened) {
    this.#options = options;
    this.#opened = opened;
  }

  async run(): Promise<RoundReport> {
    const { handler, judge, world, wrongs, operations, effects, model, places } = this.#opened;
    await warmUp(this.#attacker(49));
    const before = await handler.measure();
    handler.begin();
    await this.#attack();
    this.#options.tell('the attack is over');
    closeIdle();
    const after = await this.#quiet(before);
    judge.finish(handler.errors);
    await this.#judgeEffects();
    return {
      seed: this.#options.seed,
      seconds: Math.round((Date.now() - this.#start) / 1_000),
      wrongs: [...wrongs],
      requests: judge.requests,
      statuses: judge.statuses,
      codes: judge.codes,
      untried: operations.map(nameOf).filter((name) => !judge.tried.has(name)),
      runs: world.things.filter(({ kind }) => kind !== 'thread').length,
      claims: world.claims.length,
      effects: effects.length,
      modelCalls: model.calls,
      workersStarted: places.reduce((sum, { starts }) => sum + starts, 0),
      before,
      after,
    };
  }

  #attacker(index: number): Attacker {
    const { people, world, judge, url, operations } = this.#opened;
    const person = people[index];
    if (person === undefined) throw new Error(`there is no person ${index}`);
    const random = new Random(this.#options.seed * 1_000 + index);
    return new Attacker({ person, people, random, world, judge, url, operations });
  }

  async #attack(): Promise<void> {
    const deadline = Date.now() + longestAttackMs;
    const { people } = this.#opened;
    const left = new Random(this.#options.seed).shuffle(people);
    const killing = this.#killWorkers();
    const next = async (): Promise<void> => {
      for (let person = left.shift(); person !== undefined; person = left.shift())
        await this.#playAll(person, { order: people.length - left.length - 1, deadline });
    };
    await Promise.all(Array.from({ length: peopleAtOnce }, next));
    this.#isOver = true;
    await killing;
  }

  /** They start something first, so that others have what they may attack. */
  async #playAll(
    person: Person,
    { order, deadline }: { readonly order: number; readonly deadline: number },
  ): Promise<void> {
    const attacker = this.#attacker(person.index);
    const { random } = attacker;
    const names = ['start', firstPlay(order)];
    while (names.length < playsEach) names.push(drawPlay(random));
    for (const name of names) {
      if (Date.now() > deadline) return;
      await play(attacker, name);
      this.#options.tell(`${person.user}: ${attacker.play}`);
    }
  }

  /** A worker dies at counted requests, not at times. */
  async #killWorkers(): Promise<void> {
    const { judge, places } = this.#opened;
    const random = new Random(this.#options.seed + 77);
    let due = judge.requests + random.between(50, mostRequestsAKill);
    while (!this.#isOver) {
      await sleep(50);
      if (judge.requests < due) continue;
      due = judge.requests + random.between(50, mostRequestsAKill);
      const place = places[random.below(places.length)];
      this.#options.tell('a worker is killed');
      place?.kill(random.between(200, 1_500));
    }
  }

  /** Nobody asks any more: soon the handler asks nobody, and holds no more than before. */
  async #quiet(before: HandlerFigures): Promise<HandlerFigures> {
    const { handler, world } = this.#opened;
    const deadline = Date.now() + quietWithinMs;
    let after = await handler.measure();
    do {
      await sleep(quietMs);
      after = await handler.measure();
    } while (!isQuiet(after) && Date.now() < deadline);
    const { calls, openRequests, listeners, connections } = after;
    if (openRequests.length > 0)
      world.report(`requests are open after the end: ${openRequests.slice(0, 5).join('; ')}`);
    if (connections > 0) world.report(`${connections} connections are open after the end`);
    if (listeners > 0) world.report(`${listeners} listen to model calls after the end`);
    if (Object.keys(calls).length > 0)
      world.report(`the handler asks the server after the end: ${JSON.stringify(calls)}`);
    for (const what of ['heapUsed', 'external'] as const) {
      const growth = after[what] - before[what];
      if (growth > mostGrowth)
        world.report(`${what} of the handler grew by ${Math.round(growth / MB)} MB`);
    }
    return after;
  }

  async #judgeEffects(): Promise<void> {
    const { longhaul, world, people, effects, places } = this.#opened;
    await Promise.all(places.map((place) => place.polling()));
    await new Effects({
      longhaul,
      world,
      people,
      effects,
      turnsOf: async (chat) => {
        const owner = this.#attacker(chat.owner.index);
        owner.play = 'the last look';
        const path = `/${chat.agent}/${chat.name}/turns?last=200`;
        const { status, body } = await owner.ask({ path });
        return status === 200 ? body.turns : undefined;
      },
    }).judge();
    closeIdle();
  }
}

function isQuiet({ calls, openRequests, listeners, connections }: HandlerFigures): boolean {
  return Object.keys(calls).length + openRequests.length + listeners + connections === 0;
}
