// Makes the plan of a round smaller: only some of its runs and faults, or shorter texts.

import type { Size } from '../torture/payload.mts';
import type { RoundPlan } from '../torture/plan.mts';

/** What is left of a plan. */
export type Kept = {
  /** Ids of runs and conversations. */
  readonly only: readonly string[];
  /** Places in the plan's lists. */
  readonly faults: readonly number[];
  readonly boundaries: readonly number[];
};

const lists = ['only', 'faults', 'boundaries'] as const satisfies readonly (keyof Kept)[];

export function allOf({ trees, threads, faults, boundaries }: RoundPlan): Kept {
  return {
    only: [...trees, ...threads].map(({ id }) => id),
    faults: [...faults.keys()],
    boundaries: [...boundaries.keys()],
  };
}

export function keep(plan: RoundPlan, { only, faults, boundaries }: Partial<Kept>): RoundPlan {
  const isKept = ({ id }: { readonly id: string }): boolean => only?.includes(id) ?? true;
  return {
    ...plan,
    trees: plan.trees.filter(isKept),
    threads: plan.threads.filter(isKept),
    faults: plan.faults.filter((_, index) => faults?.includes(index) ?? true),
    boundaries: plan.boundaries.filter((_, index) => boundaries?.includes(index) ?? true),
  };
}

/** No text is longer than so many bytes. What a run does at its limits is left out. */
export function withShortTexts(plan: RoundPlan, mostBytes: number): RoundPlan {
  const trees = plan.trees.filter(({ isAtLimits }) => !isAtLimits);
  return shortened({ ...plan, trees }, mostBytes);
}

function shortened<Value>(value: Value, mostBytes: number): Value {
  const smaller = (member: unknown): unknown => {
    if (typeof member !== 'object' || member === null) return member;
    if (Array.isArray(member)) return member.map(smaller);
    if (isSize(member)) return { ...member, bytes: Math.min(member.bytes, mostBytes) };
    const members = Object.entries(member).map(([name, inner]) => [name, smaller(inner)] as const);
    return Object.fromEntries(members);
  };
  return smaller(value) as Value;
}

function isSize(value: object): value is Size {
  return 'bytes' in value && 'deflates' in value;
}

/**
 * Leaves out what the round need not have to go wrong: halves of each list, then smaller parts, while there are tries left. `isWrong` runs
 * the round with what is kept.
 */
export async function minimised(
  all: Kept,
  isWrong: (kept: Kept) => Promise<boolean>,
  tries: number,
): Promise<Kept> {
  let kept = all;
  let left = tries;
  const without = async (list: keyof Kept, length: number): Promise<Kept | undefined> => {
    for (let start = 0; start < kept[list].length && left > 0; start += length) {
      const tried = { ...kept, [list]: kept[list].toSpliced(start, length) };
      left -= 1;
      if (await isWrong(tried)) return tried;
    }
    return undefined;
  };
  for (const list of lists) {
    let part = Math.ceil(kept[list].length / 2);
    while (part > 0 && left > 0) {
      const smaller = await without(list, part);
      if (smaller !== undefined) kept = smaller;
      else part = part === 1 ? 0 : Math.ceil(part / 2);
      part = Math.min(part, kept[list].length);
    }
  }
  return kept;
}
