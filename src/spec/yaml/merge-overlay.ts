import { didYouMean } from '../../base/nearest';
import { formatPath, quote } from '../../base/problem';
import { isFreeForm, isSameField } from './field-names';
import {
  isNull,
  textOf,
  type Located,
  type LocatedEntry,
  type LocatedList,
  type LocatedMap,
} from './located';
import { problemAt, type SpecProblem } from './spec-problem';

/**
 * Merges a document for an environment into the documents of the spec: runner by runner, by id. Maps are merged field by field,
 * lists and values replaced; null takes a field away.
 */
export function mergeOverlay(
  documents: readonly Located[],
  overlay: Located,
  { problems, isComplete }: { readonly problems: SpecProblem[]; readonly isComplete: boolean },
): readonly Located[] {
  const changes = changesOf(overlay, problems);
  const known = documents.flatMap((document) => [...runnersOf(document)].map(([id]) => id));
  for (const [id, { place, path }] of changes) {
    if (known.includes(id) || !isComplete) continue;
    const meant = didYouMean(id, known) || '.';
    const message = `is no runner of the specs${meant} An overlay changes runners; new ones belong in the specs`;
    problems.push(problemAt(place, `${path}.id`, message));
  }
  return documents.map((document) => applyChanges(document, changes));
}

type Change = LocatedMap & { readonly path: string };

const sections = ['agents', 'workflows'];

function changesOf(overlay: Located, problems: SpecProblem[]): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  const refuse = (node: Located, path: string, message: string) =>
    problems.push(problemAt(node.place, path, message));
  if (overlay.kind !== 'map') {
    refuse(overlay, '', 'must have agents, workflows or both');
    return changes;
  }
  for (const [section, { key, value }] of overlay.entries) {
    if (section === '$schema') continue;
    if (!sections.includes(section)) {
      problems.push(problemAt(key, section, `is not known${didYouMean(section, sections)}`));
    } else if (value.kind !== 'list') {
      if (!isNull(value)) refuse(value, section, 'must be a list of runners, each with its id');
    } else {
      value.items.forEach((item, index) => {
        const path = formatPath([section, index]);
        const id = item.kind === 'map' ? textOf(item.entries.get('id')?.value) : undefined;
        if (item.kind !== 'map' || id === undefined) {
          refuse(item, path, 'must have the id of the runner it changes');
        } else if (changes.has(id)) {
          refuse(item, path, `changes ${quote(id)}, which this overlay does before`);
        } else changes.set(id, { ...item, path });
      });
    }
  }
  return changes;
}

function* runnersOf(document: Located): Iterable<readonly [string, LocatedMap]> {
  if (document.kind !== 'map') return;
  for (const section of sections) {
    const list = document.entries.get(section)?.value;
    for (const item of list?.kind === 'list' ? list.items : []) {
      const id = item.kind === 'map' ? textOf(item.entries.get('id')?.value) : undefined;
      if (item.kind === 'map' && id !== undefined) yield [id, item];
    }
  }
}

function applyChanges(document: Located, changes: ReadonlyMap<string, Change>): Located {
  if (document.kind !== 'map') return document;
  const entries = new Map<string, LocatedEntry>(document.entries);
  for (const section of sections) {
    const entry = entries.get(section);
    if (entry?.value.kind !== 'list') continue;
    entries.set(section, { key: entry.key, value: applyToList(entry.value, changes) });
  }
  return { ...document, entries };
}

function applyToList(list: LocatedList, changes: ReadonlyMap<string, Change>): LocatedList {
  const items = list.items.map((item) => {
    const id = item.kind === 'map' ? textOf(item.entries.get('id')?.value) : undefined;
    const change = id === undefined ? undefined : changes.get(id);
    return item.kind === 'map' && change !== undefined ? mergeMaps(item, change, false) : item;
  });
  return { ...list, items };
}

/** A field may be spelled in one way in the spec and in another one in the overlay; within a schema each spelling is a name of its own. */
function mergeMaps(base: LocatedMap, change: LocatedMap, isFree: boolean): LocatedMap {
  const entries = new Map<string, LocatedEntry>(base.entries);
  for (const [name, { key, value }] of change.entries) {
    const same = (other: string) => !isFree && isSameField(other, name);
    const written = entries.has(name) ? name : [...entries.keys()].find(same);
    const before = written === undefined ? undefined : entries.get(written)?.value;
    if (written !== undefined && written !== name) entries.delete(written);
    if (isNull(value)) entries.delete(name);
    else if (before?.kind === 'map' && value.kind === 'map') {
      const merged = mergeMaps(before, value, isFree || isFreeForm(name));
      entries.set(name, { key, value: merged });
    } else entries.set(name, { key, value });
  }
  return { ...base, entries };
}
