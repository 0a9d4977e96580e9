// What chance alone brings too seldom: a share of the seeds has it in the place of some runs and conversations.
//
// 1. It has random numbers of its own: the rest of a plan stays what it is.

import type { Size } from './payload.mts';
import {
  messageNames,
  moments,
  plainTree,
  type Act,
  type AgentPlan,
  type Fault,
  type MessagePlan,
  type RoundPlan,
  type ThreadPlan,
  type ToolName,
  type TreePlan,
} from './plan.mts';
import { hashOf, Random } from './random.mts';

const noText: Size = { bytes: 0, deflates: true };

export function withChosen(plan: RoundPlan): RoundPlan {
  const random = new Random(hashOf(`chosen for ${plan.seed}`));
  const settings = {
    ...plan.settings,
    // An execution that only asks has 18 events: below that, each would be long as soon as it waits.
    suggestsAt: random.pick([
      {},
      {},
      { events: 24 },
      { events: 40 },
      { bytes: 16_000 },
      { events: 60, bytes: 16_000 },
    ] as const),
    isSigned: random.chance(50),
  };
  const chosen = [askingTree, askingTree, askingAlone, rollingTree];
  const pauses = new Random(hashOf(`pauses of ${plan.seed}`));
  const trees = plan.trees.map((tree, index) => {
    const grow = chosen[index];
    if (index === chosen.length && pauses.chance(60)) return pausingTree(pauses, tree.id);
    return grow !== undefined && random.chance(70) ? grow(random, tree.id) : tree;
  });
  const threads = plan.threads.map((thread, index) =>
    index === 0 && random.chance(70) ? crowdedThread(random, thread) : thread,
  );
  const faults = Array.from({ length: random.pick([0, 4, 8]) }, () => growFault(random));
  const mixed = random.shuffle([...plan.faults, ...faults]);
  return { ...plan, settings, trees, threads, faults: withBuilds(plan.seed, mixed) };
}

/** In each third seed workers get another build, or two. */
function withBuilds(seed: number, faults: readonly Fault[]): readonly Fault[] {
  const random = new Random(hashOf(`builds of ${seed}`));
  const mixed = [...faults];
  for (let left = random.pick([0, 0, 0, 0, 1, 2]); left > 0; left -= 1)
    mixed.splice(random.below(mixed.length + 1), 0, {
      kind: 'new build',
      moment: random.pick(moments),
      gap: random.between(5, 60),
      ms: random.pick([500, 3_000, 8_000, 18_000]),
      calls: 1,
      draw: random.below(1_000),
    });
  return mixed;
}

const small = (random: Random): Size => ({
  bytes: random.between(10, 600),
  deflates: random.chance(50),
});

type Tools = readonly [ToolName, ...ToolName[]];

const asking = ['ask_user', 'ask_user', 'guard', 'guard_once', 'vote', 'vote', 'later'] as const;

function turnOf(random: Random, place: string, tools: Tools): readonly Act[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index): Act => {
    const kind = random.pick(tools);
    return { kind, place: `${place}.${index}`, size: small(random), padding: noText };
  });
}

function agentOf(random: Random, id: string, turns: readonly Tools[]): AgentPlan {
  return {
    kind: 'agent',
    id,
    turns: turns.map((tools, turn) => turnOf(random, `${id}.${turn}`, tools)),
    answer: small(random),
    isRefused: false,
    hasHooks: random.chance(20),
  };
}

/** Tools by turn: in each second one or so people are asked. */
function mixedTurns(random: Random, length: number): readonly Tools[] {
  return Array.from({ length }, () =>
    random.chance(60) ? asking : (['charge', 'refund', 'roll', 'look'] as const),
  );
}

/** An agent that calls another one, of which people are asked much. It is taken back, or the tree is cancelled, as it works. */
function askingTree(random: Random, id: string): TreePlan {
  const place = `${id}.n1.0.0`;
  const callee = agentOf(random, `${id}.n2`, mixedTurns(random, random.between(3, 6)));
  const after = agentOf(random, `${id}.n1`, mixedTurns(random, random.between(0, 2)));
  const turns = after.turns.map((_, turn) => turnOf(random, `${id}.n1.${turn + 1}`, asking));
  const isCancelled = random.chance(35);
  const resets = isCancelled ? 0 : random.pick([0, 1, 2, 3]);
  return {
    ...plainTree,
    id,
    root: { ...after, turns: [[{ kind: 'call', place, callee }], ...turns] },
    input: small(random),
    isWatched: random.chance(80),
    thinkMs: random.pick([0, 1_000, 4_000]),
    cancelAfter: isCancelled ? random.between(3, 6) : undefined,
    isResetWhenCancelled: isCancelled,
    resetsBelow: Array.from({ length: resets }, () => ({
      afterCalls: random.between(3, 7),
      draw: random.below(1_000),
    })),
  };
}

/** An agent that asks again and again, while people say more, and strangers answer. */
function askingAlone(random: Random, id: string): TreePlan {
  const asides = Array.from({ length: random.between(1, 4) }, (_, index) => ({
    name: `${id}.aside${index + 1}`,
    afterCalls: random.between(1, 6),
    when: random.pick(['next', 'now'] as const),
  }));
  return {
    ...plainTree,
    id,
    root: agentOf(random, `${id}.n1`, mixedTurns(random, random.between(4, 9))),
    input: small(random),
    asides,
    isWatched: random.chance(50),
    thinkMs: random.pick([0, 0, 2_000]),
    forgeries: random.pick([0, 5, 30]),
  };
}

/** Agents that ask at the same time, and are answered at once: who follows sees pauses begin and end. */
function pausingTree(random: Random, id: string): TreePlan {
  const turns = Array.from({ length: random.between(5, 9) }, () => ['ask_user', 'look'] as const);
  const branches = [2, 3, 4].map((node) => agentOf(random, `${id}.n${node}`, turns));
  return {
    ...plainTree,
    id,
    root: { kind: 'parallel', id: `${id}.n1`, branches, concurrency: 3, race: undefined },
    input: small(random),
    isWatched: true,
  };
}

/** An agent whose results are others each time: who believes what a reset took back is found out. */
function rollingTree(random: Random, id: string): TreePlan {
  const turns = Array.from({ length: random.between(6, 14) }, () => ['roll'] as const);
  const root = agentOf(random, `${id}.n1`, turns);
  return { ...plainTree, id, root, input: small(random) };
}

/** Messages in bursts, with pictures. */
function crowdedThread(random: Random, thread: ThreadPlan): ThreadPlan {
  const { id } = thread;
  const next = messageNames(id);
  const message = (): MessagePlan => {
    const name = next();
    return {
      name,
      size: small(random),
      picture: random.chance(50)
        ? { bytes: random.between(100, 40_000), deflates: false }
        : undefined,
      turns: random.chance(50) ? [turnOf(random, `${name}.0`, ['look', 'charge', 'ask_user'])] : [],
      answer: small(random),
    };
  };
  const operations = Array.from({ length: random.between(2, 3) }, () => ({
    kind: 'send' as const,
    burst: Array.from({ length: random.between(3, 5) }, message),
  }));
  return { ...thread, operations };
}

/** Workers end in the middle of effects, and runs are taken back. */
function growFault(random: Random): Fault {
  const kind = random.pick(['shut down', 'shut down', 'raw reset', 'safe reset']);
  const isReset = kind !== 'shut down';
  return {
    kind,
    moment: isReset ? 'model asked' : random.pick(['effect due', 'effect made', 'effect made']),
    gap: random.between(2, 25),
    ms: 1_000,
    calls: 1,
    draw: random.below(1_000),
  };
}
