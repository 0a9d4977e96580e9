// Random trees, each from a seed of its own.

import { resultsOf } from './model';
import { TooManyResults, type Result } from './results';
import { Random } from '../../../scripts/torture/random.mts';
import { keys } from './tools';
import type {
  Act,
  AgentNode,
  GraphNode,
  ParallelNode,
  TaskNode,
  Tree,
  TreeNode,
  Turn,
} from './tree';

const deepest = 4;
/** From so many on, every new node is a leaf: trees stay small enough to have many of them. */
const enoughNodes = 3;

/** A tree with what it may come to. */
export type RandomTree = {
  readonly seed: number;
  readonly tree: Tree;
  readonly results: readonly Result[];
};

export const input = 'go';

/** A tree with too many possible results is drawn again, from the next numbers of the same seed. */
export function randomTree(seed: number): RandomTree {
  const random = new Random(seed);
  for (;;) {
    const tree = new TreeBuilder(random, `t${seed}`).tree();
    try {
      return { seed, tree, results: resultsOf(tree.root, { input, session: tree.session }) };
    } catch (error) {
      if (!(error instanceof TooManyResults)) throw error;
    }
  }
}

/** Where a node stands: how deep, and the keys of the session it may change. */
type Position = { readonly depth: number; readonly keys: readonly string[] };

class TreeBuilder {
  readonly #random: Random;
  readonly #id: string;
  readonly #failures: number;
  #nodes = 0;

  constructor(random: Random, id: string) {
    this.#random = random;
    this.#id = id;
    this.#failures = random.pick([0, 0, 12]);
  }

  tree(): Tree {
    const random = this.#random;
    const root = this.#node({ depth: 1, keys });
    const cancel = { at: random.pick(['call', 'pause']), number: random.between(1, 4) } as const;
    return {
      id: this.#id,
      root,
      session: {
        a: 'given;',
        ...(random.chance(30) && { b: 'given, too;' }),
        // Longer than what travels with a child's start.
        ...(random.chance(15) && { long: 'x'.repeat(5_000) }),
      },
      ...(random.chance(20) && { cancel }),
    };
  }

  #node(position: Position): TreeNode {
    const { depth } = position;
    const random = this.#random;
    const isLeaf =
      depth === deepest || this.#nodes >= enoughNodes || random.chance((depth - 1) * 25);
    if (isLeaf) return this.#agent(position, 'leaf');
    const build = random.pick([
      () => this.#sequential(position),
      () => this.#parallel(position),
      () => this.#parallel(position),
      () => this.#graph(position),
      () => this.#agent(position, 'caller'),
    ]);
    return build();
  }

  #nextId(letter: string): string {
    this.#nodes += 1;
    return `${this.#id}.${letter}${this.#nodes}`;
  }

  #sequential(position: Position): TreeNode {
    const random = this.#random;
    const id = this.#nextId('s');
    const below = { ...position, depth: position.depth + 1 };
    const steps = Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => this.#node(below));
    const again = random.chance(15) ? steps.slice(0, 1) : [];
    const passOutput = random.pick([false, true, 'combined'] as const);
    return { kind: 'sequential', id, steps: [...steps, ...again], passOutput };
  }

  #parallel(position: Position): ParallelNode {
    const random = this.#random;
    const id = this.#nextId('p');
    const length = random.pick([2, 2, 2, 2, 3]);
    const isDisjoint = random.chance(60);
    const branches = Array.from({ length }, (_, index) => {
      const own = position.keys.filter((_key, at) => !isDisjoint || at % length === index);
      return this.#node({ depth: position.depth + 1, keys: own });
    });
    return {
      kind: 'parallel',
      id,
      branches,
      merge: random.pick(['collect_all', 'collect_all', 'first']),
      cancelRest: random.chance(50),
      concurrency: random.pick([1, 2, 50, 50]),
    };
  }

  #graph(position: Position): GraphNode {
    const random = this.#random;
    const id = this.#nextId('g');
    const below = { ...position, depth: position.depth + 1 };
    const tasks: TaskNode[] = [];
    for (let left = random.pick([2, 2, 2, 3, 4]); left > 0; left -= 1) {
      const dependencies = tasks.map((task) => task.id).filter(() => random.chance(40));
      const maxRetries = random.pick([0, 0, 1]);
      const isFlaky = maxRetries > 0 && this.#failures > 0 && random.chance(50);
      const runner = isFlaky ? this.#agent(below, 'flaky') : this.#node(below);
      const task = { id: `t${tasks.length + 1}`, runner, dependencies, maxRetries };
      tasks.push({ ...task, hasPrompt: random.chance(40) });
    }
    return { kind: 'graph', id, tasks: random.shuffle(tasks) };
  }

  #agent(position: Position, role: 'leaf' | 'caller' | 'flaky'): AgentNode {
    const random = this.#random;
    const id = this.#nextId('a');
    const ending = random.chance(this.#failures)
      ? random.pick(['limit', 'provider'] as const)
      : 'answer';
    if (role === 'flaky')
      return { kind: 'agent', id, turns: [acts({ kind: 'flaky' })], ending: 'answer' };
    const turns = Array.from({ length: random.pick([0, 1, 1]) }, () =>
      this.#turn(position, ending),
    );
    if (role === 'leaf') return { kind: 'agent', id, turns, ending };
    const called = acts(...this.#calls(position));
    return { kind: 'agent', id, turns: random.shuffle([...turns, called]), ending: 'answer' };
  }

  #turn(position: Position, ending: AgentNode['ending']): Turn {
    const random = this.#random;
    if (random.chance(6)) return { kind: 'marker' };
    if (ending === 'limit') return acts({ kind: 'ask' });
    return acts(...Array.from({ length: random.pick([1, 1, 2]) }, () => this.#act(position)));
  }

  #calls(position: Position): readonly Act[] {
    const random = this.#random;
    const onError = random.pick(['return', 'return', 'fail'] as const);
    const callees = Array.from({ length: random.pick([1, 1, 1, 2]) }, () =>
      this.#node({ ...position, depth: position.depth + 1 }),
    );
    const others = random.chance(40) ? [this.#act(position)] : [];
    return [...callees.map((callee) => ({ kind: 'call', callee, onError }) as const), ...others];
  }

  #act(position: Position): Act {
    const random = this.#random;
    const key = position.keys[random.below(position.keys.length)];
    if (random.chance(this.#failures)) return { kind: 'break' };
    if (key === undefined || random.chance(15))
      return { kind: random.pick(['ask', 'ask', 'stumble']) };
    return { kind: random.pick(['write', 'write', 'write', 'write', 'guard', 'erase']), key };
  }
}

function acts(...all: readonly Act[]): Turn {
  return { kind: 'acts', acts: all };
}
