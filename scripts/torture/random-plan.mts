// Grows the plan of a round from its seed.

import { withChosen } from './chosen-plan.mts';
import { limits } from './limits.mts';
import type { Size } from './payload.mts';
import {
  activities,
  agentsOf,
  boundaryKinds,
  boundaryMoments,
  chanceKinds,
  hasPlannedCalls,
  messageNames,
  moments,
  plainTree,
  type Act,
  type AgentPlan,
  type Aside,
  type Boundary,
  type BudgetPlan,
  type Fault,
  type MessagePlan,
  type NodePlan,
  type ParallelPlan,
  type RoundPlan,
  type ThreadOperation,
  type ThreadPlan,
  type ToolName,
  type TreePlan,
  type TurnPlan,
} from './plan.mts';
import { Random } from './random.mts';
import { argumentsOf, roomOfPicture } from './texts.mts';

export type Scale = {
  readonly trees: number;
  readonly threads: number;
  readonly faults: number;
  /** Faults at the boundaries of activities: rounds that follow each other have those that follow each other. */
  readonly boundaries: number;
};

export const usualScale: Scale = { trees: 10, threads: 3, faults: 11, boundaries: 10 };

const KiB = 1024;
const deepest = 4;
/** From so many nodes on, what grows is a leaf. */
const enoughNodes = 6;
const noText: Size = { bytes: 0, deflates: true };

const quotes = 2;

export function planRound(seed: number, scale: Scale = usualScale): RoundPlan {
  const random = new Random(seed);
  const logCacheBytes = random.pick([undefined, undefined, 1]);
  const settings = {
    suggestsAt: {},
    isSigned: false,
    logCacheBytes,
    // Enough to evict runs. With 2, Core 1.24 loses its places one after the other, and the worker stops.
    maxCachedWorkflows: random.pick([undefined, undefined, 8]),
    graceMs: random.pick([0, 1_000, 5_000]),
    store: random.pick(['sqlite', 'sqlite', 'postgres'] as const),
    isInline: random.chance(50),
    hasResults: random.chance(50),
  };
  const trees = Array.from({ length: scale.trees }, (_, index) =>
    new TreePlanner(random, `t${index + 1}`).tree(),
  );
  const threads = Array.from({ length: scale.threads }, (_, index) =>
    growThread(random, `c${index + 1}`),
  );
  const faults = Array.from({ length: scale.faults }, () => growFault(random));
  const boundaries = growBoundaries(random, seed, scale.boundaries);
  return withChosen({
    seed,
    settings,
    // With a result store, most of these limits are others.
    trees: settings.hasResults ? trees : [...trees, treeAtLimits(`t${scale.trees + 1}`)],
    threads,
    faults,
    boundaries,
  });
}

/** All there are, in turn: as many rounds as it takes have each of them once. */
function growBoundaries(random: Random, seed: number, count: number): readonly Boundary[] {
  const all = boundaryKinds.flatMap((kind) =>
    boundaryMoments.flatMap((moment) => activities.map((activity) => ({ kind, moment, activity }))),
  );
  // A step that shares no divisor with their number meets each of them, and lets those of a round differ.
  const step = 37;
  return Array.from({ length: count }, (_, index): Boundary => {
    const chosen = all[((seed * count + index) * step) % all.length];
    if (chosen === undefined) throw new Error('there are no boundaries');
    const isFrequent = chosen.activity === 'callModel' || chosen.activity === 'callTool';
    return {
      ...chosen,
      skip: random.below(isFrequent ? 60 : 2),
      ms: random.pick([500, 3_000, 12_000, 18_000]),
    };
  });
}

const atLimits = (bytes: number): Size => ({ bytes, deflates: false });

/** A run of which everything that may be long is as long as it may be, and then longer where that has an answer. */
function treeAtLimits(id: string): TreePlan {
  const agent = `${id}.n1`;
  const act = (kind: ToolName, turn: number, size: Size): Act => {
    return { kind, place: `${agent}.${turn}.0`, size, padding: noText };
  };
  const padded = (turn: number, bytes: number): Act => {
    const plain = { ...act('charge', turn, atLimits(100)), padding: atLimits(100) };
    const room = bytes - JSON.stringify(argumentsOf(plain)).length;
    return { ...plain, padding: atLimits(100 + room) };
  };
  const acts = [
    act('look', 0, atLimits(limits.result)),
    act('charge', 1, atLimits(limits.result + 1)),
    padded(2, limits.toolArguments),
    padded(3, limits.toolArguments + 1),
    act('ask_user', 4, atLimits(limits.answer + 1)),
    act('picture', 5, atLimits(roomOfPicture(`${agent}.5.0`))),
    act('picture', 6, atLimits(roomOfPicture(`${agent}.6.0`) + 4)),
  ];
  return {
    ...plainTree,
    id,
    root: {
      kind: 'agent',
      id: agent,
      turns: acts.map((one) => [one]),
      answer: atLimits(200 * KiB),
      isRefused: false,
      hasHooks: false,
    },
    input: atLimits(limits.input - quotes),
    given: atLimits(limits.session - '{"given":""}'.length),
    context: atLimits(limits.context - '{"given":""}'.length),
    isAtLimits: true,
  };
}

class TreePlanner {
  readonly #random: Random;
  readonly #id: string;
  #nodes = 0;

  constructor(random: Random, id: string) {
    this.#random = random;
    this.#id = id;
  }

  tree(): TreePlan {
    const random = this.#random;
    const shape = random.pick(['tree', 'tree', 'tree', 'tree', 'race', 'long', 'heavy']);
    const root = this.#root(shape);
    const isCancelled = random.chance(16);
    const isRefused = root.kind === 'agent' && random.chance(8);
    const asides = root.kind === 'agent' && random.chance(50) ? this.#asides() : [];
    const isPlanned = hasPlannedCalls({ ...plainTree, id: this.#id, root, input: noText, asides });
    return {
      ...plainTree,
      id: this.#id,
      root: isRefused ? { ...root, isRefused } : root,
      asides,
      isWatched: random.chance(50),
      input: sizeOf(random, 60 * KiB),
      picture: random.chance(25) ? sizeOf(random, 150 * KiB) : undefined,
      cancelAfter: isCancelled ? random.between(1, 12) : undefined,
      budget: isPlanned && random.chance(30) ? this.#budget(root) : undefined,
      hasState: random.chance(50),
      given: random.chance(50) ? sizeOf(random, 24 * KiB) : undefined,
    };
  }

  #asides(): readonly Aside[] {
    const random = this.#random;
    return Array.from({ length: random.between(1, 4) }, (_, index) => ({
      name: `${this.#id}.aside${index + 1}`,
      afterCalls: random.between(1, 8),
      when: random.pick(['next', 'now'] as const),
    }));
  }

  #root(shape: 'tree' | 'race' | 'long' | 'heavy'): NodePlan {
    if (shape === 'tree') return this.#node(1);
    if (shape !== 'race') return this.#alone(shape);
    const race = { cancelRest: this.#random.chance(50) };
    return { ...this.#parallel(1), race };
  }

  /** Only a run that calls no other is stopped: of one that does, nobody knows beforehand whether it comes to that. */
  #budget(root: NodePlan): BudgetPlan {
    const random = this.#random;
    const isAlone = agentsOf(root).length === 1;
    const answer = isAlone && random.chance(20) ? 'stop' : random.between(50, 900);
    return { tokens: random.between(10, 500), answer };
  }

  /** One agent with many small turns, or with some whose results fill history. */
  #alone(shape: 'long' | 'heavy'): AgentPlan {
    const random = this.#random;
    const isLong = shape === 'long';
    const id = this.#nextId();
    const length = isLong ? random.between(40, 90) : random.between(12, 28);
    const turns = Array.from({ length }, (_, turn): TurnPlan => {
      const kind = random.pick(['charge', 'look', 'look', 'refund'] as const);
      const bytes = isLong ? random.between(10, 2_000) : random.between(60 * KiB, 200 * KiB);
      const size = { bytes, deflates: isLong && random.chance(50) };
      return [{ kind, place: `${id}.${turn}.0`, size, padding: noText }];
    });
    const answer = sizeOf(random, 8 * KiB);
    const plain = { id, turns, answer, isRefused: false, hasHooks: random.chance(10) };
    // A few turns fit into it.
    const window = isLong ? 4_000 : 140_000;
    return { kind: 'agent', ...plain, ...(random.chance(60) && { window }) };
  }

  #node(depth: number): NodePlan {
    const random = this.#random;
    const isLeaf = depth >= deepest || this.#nodes >= enoughNodes || random.chance(depth * 15);
    if (isLeaf) return this.#agent(depth, false);
    const build = random.pick([
      () => this.#sequential(depth),
      () => this.#parallel(depth),
      () => this.#graph(depth),
      () => this.#agent(depth, true),
      () => this.#agent(depth, true),
    ]);
    return build();
  }

  #nextId(): string {
    this.#nodes += 1;
    return `${this.#id}.n${this.#nodes}`;
  }

  #sequential(depth: number): NodePlan {
    const random = this.#random;
    const id = this.#nextId();
    const steps = Array.from({ length: random.between(1, 3) }, () => this.#node(depth + 1));
    const passOutput = random.pick([false, true, 'combined'] as const);
    return { kind: 'sequential', id, steps, passOutput };
  }

  #parallel(depth: number): ParallelPlan {
    const random = this.#random;
    const id = this.#nextId();
    const branches = Array.from({ length: random.between(2, 4) }, () => this.#node(depth + 1));
    const concurrency = random.pick([1, 2, 50]);
    return { kind: 'parallel', id, branches, concurrency, race: undefined };
  }

  #graph(depth: number): NodePlan {
    const random = this.#random;
    const id = this.#nextId();
    const tasks: { id: string; runner: NodePlan; dependencies: string[] }[] = [];
    for (let left = random.between(2, 4); left > 0; left -= 1) {
      const dependencies = tasks.map((task) => task.id).filter(() => random.chance(40));
      tasks.push({ id: `task${tasks.length + 1}`, runner: this.#node(depth + 1), dependencies });
    }
    return { kind: 'graph', id, tasks };
  }

  #agent(depth: number, isCaller: boolean): AgentPlan {
    const random = this.#random;
    const id = this.#nextId();
    const length = random.between(isCaller ? 1 : 0, 4);
    const calling = random.below(Math.max(1, length));
    const turns = Array.from({ length }, (_, turn): TurnPlan => {
      const acts = growActs(random, `${id}.${turn}`);
      if (!isCaller || turn !== calling) return acts;
      const place = `${id}.${turn}.${acts.length}`;
      return [...acts, { kind: 'call', place, callee: this.#node(depth + 1) }];
    });
    const answer = sizeOf(random, depth === 1 ? 200 * KiB : 24 * KiB);
    return { kind: 'agent', id, turns, answer, isRefused: false, hasHooks: random.chance(40) };
  }
}

const usualTools = [
  ...['charge', 'charge', 'refund', 'refund', 'look', 'note'],
  ...['guard', 'guard_once', 'vote', 'later', 'stumble', 'ask_user', 'picture'],
] as [ToolName, ...ToolName[]];

function growActs(random: Random, turn: string): readonly Act[] {
  return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (_, index) => ({
    kind: random.pick(usualTools),
    place: `${turn}.${index}`,
    size: sizeOf(random, 250 * KiB),
    padding: random.chance(10) ? sizeOf(random, 200 * KiB) : noText,
  }));
}

/** Mostly small, sometimes up to what there is room for. */
function sizeOf(random: Random, most: number): Size {
  const limit = random.pick([600, 600, 600, 600, 600, 600, 600, 16 * KiB, 16 * KiB, most]);
  return { bytes: random.between(10, Math.min(limit, most)), deflates: random.chance(50) };
}

function growThread(random: Random, id: string): ThreadPlan {
  const next = messageNames(id);
  const message = (): MessagePlan => {
    const name = next();
    return {
      name,
      size: sizeOf(random, 60 * KiB),
      picture: random.chance(15) ? sizeOf(random, 100 * KiB) : undefined,
      turns: Array.from({ length: random.pick([0, 0, 1, 2]) }, (_, turn) =>
        growActs(random, `${name}.${turn}`),
      ),
      answer: sizeOf(random, 16 * KiB),
    };
  };
  const operations = Array.from({ length: random.between(4, 9) }, (_, index): ThreadOperation => {
    if (index > 1 && random.chance(20)) return { kind: 'clear' };
    if (random.chance(20)) {
      const first = asking(message());
      if (random.chance(50)) return { kind: 'interrupt', asking: first };
      const late = random.chance(70) ? { ...message(), picture: undefined } : undefined;
      return { kind: 'cancel', asking: first, late };
    }
    const burst = Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, message);
    return { kind: 'send', burst };
  });
  return {
    id,
    window: random.pick([undefined, undefined, 3]),
    hasStore: random.chance(70),
    operations,
  };
}

/** It asks first. */
function asking(message: MessagePlan): MessagePlan {
  const place = `${message.name}.0.0`;
  const ask: Act = { kind: 'ask_user', place, size: noText, padding: noText };
  return { ...message, turns: [[ask]] };
}

/** Faults of the model and of stores are mild ones of which there may be many; the others stop processes. */
function growFault(random: Random): Fault {
  return {
    kind: random.pick([
      ...chanceKinds,
      'kill',
      'kill',
      'shut down',
      'freeze',
      'raw reset',
      'safe reset',
    ]),
    moment: random.pick(moments),
    gap: random.between(5, 60),
    ms: random.pick([200, 1_000, 3_000, 3_000, 8_000, 18_000]),
    calls: random.between(1, 4),
    draw: random.below(1_000),
  };
}
