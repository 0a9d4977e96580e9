import { anything, type CharSet } from './char-set';
import type { PatternNode } from './parse-pattern';

/**
 * The positions of a pattern and which may follow which (Glushkov): state n matches one character of `sets[n]`.
 * `doubled` are the edges there are two ways to take.
 */
export type PatternAutomaton = {
  readonly sets: readonly CharSet[];
  readonly edges: readonly ReadonlySet<number>[];
  readonly doubled: readonly (readonly [from: number, to: number])[];
};

export class PatternTooLarge extends Error {}

type Fragment = {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
};

type Draft = {
  readonly sets: CharSet[];
  readonly edges: Set<number>[];
  readonly doubled: [number, number][];
  connections: number;
};

const mostStates = 2000;
const mostEdges = 20_000;
/** Longer optional repetitions are taken as endless, longer fixed ones as this long: it changes no verdict that matters. */
const copiedOptional = 5;
const copiedFixed = 64;

const nothing: Fragment = { nullable: true, first: [], last: [] };

export function buildAutomaton(pattern: PatternNode): PatternAutomaton {
  const draft: Draft = { sets: [], edges: [], doubled: [], connections: 0 };
  build(pattern, draft);
  return draft;
}

function build(node: PatternNode, draft: Draft): Fragment {
  switch (node.kind) {
    case 'empty':
      return nothing;
    case 'look':
      build(node.item, draft);
      return nothing;
    case 'set':
      return addState(node.set, draft);
    case 'sequence':
      return node.items.reduce<Fragment>(
        (left, item) => join(left, build(item, draft), draft),
        nothing,
      );
    case 'choice':
      return choose(node.branches.map((branch) => build(branch, draft)));
    case 'repeat':
      return repeat(node, draft);
  }
}

function addState(set: CharSet, draft: Draft): Fragment {
  const state = draft.sets.push(set.length === 0 ? anything : set) - 1;
  if (state >= mostStates) throw new PatternTooLarge();
  draft.edges.push(new Set());
  return { nullable: false, first: [state], last: [state] };
}

function repeat(node: PatternNode & { kind: 'repeat' }, draft: Draft): Fragment {
  const { item, min, max } = node;
  let result = nothing;
  for (let copy = 0; copy < Math.min(min, copiedFixed) - (max === Infinity ? 1 : 0); copy += 1) {
    result = join(result, build(item, draft), draft);
  }
  if (max === Infinity || max - min > copiedOptional) {
    const looped = loop(build(item, draft), draft);
    const isOptional = min === 0 || max !== Infinity;
    return join(result, isOptional ? { ...looped, nullable: true } : looped, draft);
  }
  return join(result, optional(item, max - min, draft), draft);
}

/** `x{0,3}` as `(x(x(x)?)?)?`: one way to match n of them, not one for each choice of n copies. */
function optional(item: PatternNode, count: number, draft: Draft): Fragment {
  if (count <= 0) return nothing;
  const first = build(item, draft);
  return { ...join(first, optional(item, count - 1, draft), draft), nullable: true };
}

function loop(item: Fragment, draft: Draft): Fragment {
  connect(item.last, item.first, draft);
  return item;
}

function join(left: Fragment, right: Fragment, draft: Draft): Fragment {
  connect(left.last, right.first, draft);
  return {
    nullable: left.nullable && right.nullable,
    first: left.nullable ? [...left.first, ...right.first] : left.first,
    last: right.nullable ? [...left.last, ...right.last] : right.last,
  };
}

function choose(branches: readonly Fragment[]): Fragment {
  return {
    nullable: branches.some((branch) => branch.nullable),
    first: branches.flatMap((branch) => branch.first),
    last: branches.flatMap((branch) => branch.last),
  };
}

function connect(from: readonly number[], to: readonly number[], draft: Draft): void {
  draft.connections += from.length * to.length;
  if (draft.connections > mostEdges) throw new PatternTooLarge();
  for (const source of from) {
    for (const target of to) {
      const targets = draft.edges[source];
      if (targets?.has(target)) draft.doubled.push([source, target]);
      targets?.add(target);
    }
  }
}
