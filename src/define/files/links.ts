// Checks what drafts name: code, and each other. `checkNames` reports unknown names of code. `linkDrafts` returns the drafts by id, or an
// empty map if following their references is not safe.

import { didYouMean, quote } from '../../base';
import { limits } from '../../protocol';
import type { SpecCode } from './code';
import { usesOf, type CodeList, type Draft, type DraftRef } from './drafts';
import { formatPlace, type Reading } from './places';

const labels: Readonly<Record<CodeList, string>> = {
  tools: 'tools',
  callbacks: 'callbacks',
  criteria: 'criteria',
  mcpServers: 'MCP servers',
};

/** Reports names of code that is not there. A file that could not be read may define any tool. */
export function checkNames(drafts: readonly Draft[], code: SpecCode, reading: Reading): void {
  for (const { list, name, path, draft } of usesOf(drafts)) {
    const known = [...code[list].keys()];
    if (known.includes(name) || (list === 'tools' && reading.hasUnreadFile)) continue;
    const kind = labels[list];
    const all =
      known.length === 0
        ? `No ${kind} are registered`
        : `Registered ${kind}: ${known.toSorted().join(', ')}`;
    const near = didYouMean(name, known) || '.';
    const message = `is ${quote(name)}, which is not among the registered ${kind}${near} ${all}`;
    reading.report(draft.at, path, { message });
  }
}

type Drafts = ReadonlyMap<string, Draft>;

/** A limit, because a few small runners that name each other can stand for billions of runs. */
const mostRuns = 10_000;

/**
 * The drafts by their ids, for following references. None if an id is not unique, if a reference leads to nothing, or if following
 * them would not end.
 */
export function linkDrafts(drafts: readonly Draft[], reading: Reading): Drafts {
  const before = reading.problems.length;
  const byId = new Map<string, Draft>();
  for (const draft of drafts) {
    const { id, at } = draft;
    const earlier = byId.get(id);
    if (earlier === undefined) byId.set(id, draft);
    else {
      const place = reading.placeOf(earlier.at, ['id']);
      const first = place === undefined ? '' : formatPlace(place);
      const message = `is ${quote(id)}, which the runner at ${first} has, too: rename one`;
      reading.report(at, ['id'], { message });
    }
  }
  if (!reading.hasUnreadFile) for (const draft of drafts) checkRefs(draft, drafts, reading);
  if (reading.problems.length === before) measureDrafts(byId, reading);
  return reading.problems.length === before ? byId : new Map();
}

function checkRefs(draft: Draft, drafts: readonly Draft[], reading: Reading): void {
  for (const ref of draft.refs) {
    const found = drafts.filter(({ id }) => id === ref.id);
    const isKnown = found.some(({ owner }) => owner === undefined || owner === draft.id);
    if (ref.isInline || isKnown) continue;
    const message = unknownMessage(ref.id, found[0]?.owner, drafts);
    reading.report(draft.at, ref.path, { message });
  }
}

function unknownMessage(id: string, owner: string | undefined, drafts: readonly Draft[]): string {
  if (owner !== undefined) {
    return `is ${quote(id)}, which stands within ${quote(owner)} and is known only there: move it to the agents or workflows of the file`;
  }
  const known = drafts.filter((draft) => draft.owner === undefined).map((draft) => draft.id);
  const list = known.length === 0 ? 'There is none' : `There are: ${[...known].sort().join(', ')}`;
  return `must be the id of a runner, not ${quote(id)}${didYouMean(id, known) || '.'} ${list}`;
}

/** The runs that a runner stands for, and how many levels they nest. */
type RunnerExtent = { readonly runs: number; readonly levels: number };

const none: RunnerExtent = { runs: 0, levels: 0 };

/** Follows every reference once, and reports circles and runners with too many runs or levels. */
function measureDrafts(drafts: Drafts, reading: Reading): void {
  const extents = new Map<string, RunnerExtent>();
  const measure = (draft: Draft, way: readonly string[]): RunnerExtent => {
    const known = extents.get(draft.id);
    if (known !== undefined) return known;
    const below = draft.refs.map((ref) => follow(draft, ref, way));
    const runs = below.reduce((sum, extent) => sum + extent.runs, 1);
    const levels = below.reduce((most, extent) => Math.max(most, extent.levels + 1), 0);
    const message = tooMuch(runs, levels);
    if (message !== undefined) reading.report(draft.at, [], { message });
    const extent = message === undefined ? { runs, levels } : none;
    extents.set(draft.id, extent);
    return extent;
  };
  const follow = (draft: Draft, ref: DraftRef, way: readonly string[]): RunnerExtent => {
    const target = drafts.get(ref.id);
    if (target === undefined) return none;
    const start = way.indexOf(ref.id);
    if (start < 0) return measure(target, [...way, ref.id]);
    const circle = [...way.slice(start), ref.id].join(' → ');
    reading.report(draft.at, ref.path, { message: `closes a circle: ${circle}` });
    return none;
  };
  for (const draft of drafts.values()) measure(draft, [draft.id]);
}

function tooMuch(runs: number, levels: number): string | undefined {
  if (levels > limits.depth) {
    return `nests runners more than ${limits.depth} levels deep: make fewer levels`;
  }
  if (runs <= mostRuns) return undefined;
  const most = mostRuns.toLocaleString('en');
  return `stands for more than ${most} runs, with those that the runners in it name`;
}
