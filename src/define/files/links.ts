import { didYouMean } from '../../base/nearest';
import { quote } from '../../base/problem';
import { limits } from '../../protocol/limits';
import type { Draft, DraftRef } from './drafts';
import type { Path, Places } from './places';
import { formatPlace, type SpecProblem } from './problem';

/** A few small runners that name each other can stand for billions of runs. */
const mostRuns = 10_000;

/** Repeated ids, references to nothing, and circles. Files that could not be read (`isComplete`) may hold any runner. */
export function linkProblems(
  drafts: readonly Draft[],
  { places, isComplete }: { readonly places: Places; readonly isComplete: boolean },
): readonly SpecProblem[] {
  const problemOf: ProblemOf = ({ at }, path, message) =>
    places.locate({ ...at, path: [...at.path, ...path] }, { message });
  const refs = isComplete ? drafts.flatMap((draft) => unknownRefs(draft, drafts, problemOf)) : [];
  const found = [...repeatedIds(drafts, problemOf), ...refs];
  return found.length > 0 ? found : new Circles(drafts, problemOf).problems;
}

type ProblemOf = (draft: Draft, path: Path, message: string) => readonly SpecProblem[];

function repeatedIds(drafts: readonly Draft[], problemOf: ProblemOf): readonly SpecProblem[] {
  const first = new Map<string, Draft>();
  return drafts.flatMap((draft) => {
    const earlier = first.get(draft.id);
    if (earlier === undefined) {
      first.set(draft.id, draft);
      return [];
    }
    const place = problemOf(earlier, ['id'], '').map(formatPlace).join('');
    const message = `is ${quote(draft.id)}, which the runner at ${place} has, too: rename one`;
    return problemOf(draft, ['id'], message);
  });
}

function unknownRefs(
  draft: Draft,
  drafts: readonly Draft[],
  problemOf: ProblemOf,
): readonly SpecProblem[] {
  return draft.refs.flatMap((ref) => {
    const found = drafts.filter(({ id }) => id === ref.id);
    if (ref.isInline || found.some(({ owner }) => owner === undefined || owner === draft.id))
      return [];
    return problemOf(draft, ref.path, refMessage(ref, found[0], drafts));
  });
}

function refMessage({ id }: DraftRef, inner: Draft | undefined, drafts: readonly Draft[]): string {
  if (inner?.owner !== undefined) {
    return `is ${quote(id)}, which stands within ${quote(inner.owner)} and is known only there: move it to the agents or workflows of the file`;
  }
  const known = drafts.filter(({ owner }) => owner === undefined).map((draft) => draft.id);
  const list = known.length === 0 ? 'There is none' : `There are: ${[...known].sort().join(', ')}`;
  return `must be the id of a runner, not ${quote(id)}${didYouMean(id, known) || '.'} ${list}`;
}

/** The runs that a runner stands for, and how many levels they nest. */
type Extent = { readonly runs: number; readonly levels: number };

const none: Extent = { runs: 0, levels: 0 };

/** Follows every reference once. */
class Circles {
  readonly problems: SpecProblem[] = [];
  readonly #drafts: ReadonlyMap<string, Draft>;
  readonly #problemOf: ProblemOf;
  readonly #extents = new Map<string, Extent>();

  constructor(drafts: readonly Draft[], problemOf: ProblemOf) {
    this.#drafts = new Map(drafts.map((draft) => [draft.id, draft]));
    this.#problemOf = problemOf;
    drafts.forEach((draft) => this.#visit(draft, [draft.id]));
  }

  #visit(draft: Draft, way: readonly string[]): Extent {
    const known = this.#extents.get(draft.id);
    if (known !== undefined) return known;
    const below = draft.refs.map((ref) => this.#follow(draft, ref, way));
    const runs = below.reduce((sum, extent) => sum + extent.runs, 1);
    const levels = below.reduce((most, extent) => Math.max(most, extent.levels + 1), 0);
    const message = tooMuch(runs, levels);
    if (message !== undefined) this.problems.push(...this.#problemOf(draft, [], message));
    const extent = message === undefined ? { runs, levels } : none;
    this.#extents.set(draft.id, extent);
    return extent;
  }

  #follow(draft: Draft, ref: DraftRef, way: readonly string[]): Extent {
    const target = this.#drafts.get(ref.id);
    if (target === undefined) return none;
    const start = way.indexOf(ref.id);
    if (start < 0) return this.#visit(target, [...way, ref.id]);
    const circle = [...way.slice(start), ref.id].join(' → ');
    this.problems.push(...this.#problemOf(draft, ref.path, `closes a circle: ${circle}`));
    return none;
  }
}

function tooMuch(runs: number, levels: number): string | undefined {
  if (levels > limits.depth) {
    return `nests runners more than ${limits.depth} levels deep: make fewer levels`;
  }
  if (runs <= mostRuns) return undefined;
  const most = mostRuns.toLocaleString('en');
  return `stands for more than ${most} runs, with those that the runners in it name`;
}
