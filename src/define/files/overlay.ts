import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import { didYouMean, formatPath, quote } from '../../base/problem';
import { isSameField } from './names';
import {
  isFreeForm,
  problemAt,
  type Mark,
  type Place,
  type Places,
  type Reading,
  type Source,
} from './places';

type Change = { readonly fields: JsonObject; readonly place: Place; readonly path: string };

const sections = ['agents', 'workflows'];

/**
 * Merges an overlay into the documents of the spec: runner by runner, by id. Maps are merged field by field, lists and values are
 * replaced, and null takes a field away. Files that could not be read (`isComplete`) may hold any runner.
 */
export function mergeOverlay(
  documents: readonly Source[],
  overlay: Source,
  { reading, isComplete }: { readonly reading: Reading; readonly isComplete: boolean },
): readonly Source[] {
  const changes = changesOf(overlay, reading);
  const known = documents.flatMap(({ value }) =>
    sections.flatMap((section) => idsIn(value, section)),
  );
  for (const [id, { place, path }] of changes) {
    if (known.includes(id) || !isComplete) continue;
    const meant = didYouMean(id, known) || '.';
    const message = `is no runner of the specs${meant} An overlay changes runners; new ones belong in the specs`;
    reading.problems.push(problemAt(place, `${path}.id`, message));
  }
  return documents.map(({ value, mark }) => ({
    value: applyChanges(value, changes, reading.places),
    mark,
  }));
}

function changesOf(overlay: Source, reading: Reading): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const { item, place, path } of itemsOf(overlay, reading)) {
    const id = idOf(item);
    const message =
      id === undefined
        ? 'must have the id of the runner it changes'
        : `changes ${quote(id)}, which this overlay does before`;
    if (id === undefined || changes.has(id)) {
      reading.problems.push(problemAt(place, path, message));
    } else changes.set(id, { fields: item as JsonObject, place, path });
  }
  return changes;
}

type Item = { readonly item: Json; readonly place: Place; readonly path: string };

/** What an overlay lists as agents and workflows. */
function itemsOf({ value, mark }: Source, { places, problems }: Reading): readonly Item[] {
  if (!isJsonObject(value)) {
    const message = 'must have agents, workflows or both';
    if (mark.origin !== 'refused') problems.push(problemAt(mark.value, '', message));
    return [];
  }
  return Object.entries(value).flatMap(([section, list]): readonly Item[] => {
    const { key, value: place } = places.markOf(value, section) ?? { ...mark, key: mark.value };
    if (section === '$schema' || (list === null && sections.includes(section))) return [];
    if (Array.isArray(list) && sections.includes(section)) {
      return list.map((item, index) => {
        const at = places.markOf(list, index)?.value ?? place;
        return { item, place: at, path: formatPath([section, index]) };
      });
    }
    const problem = sections.includes(section)
      ? problemAt(place, section, 'must be a list of runners, each with its id')
      : problemAt(key, section, `is not known${didYouMean(section, sections)}`);
    problems.push(problem);
    return [];
  });
}

function idOf(runner: Json): string | undefined {
  return isJsonObject(runner) && typeof runner.id === 'string' ? runner.id : undefined;
}

function idsIn(document: Json, section: string): readonly string[] {
  const list = isJsonObject(document) ? document[section] : undefined;
  return Array.isArray(list) ? list.flatMap((runner) => idOf(runner) ?? []) : [];
}

function applyChanges(document: Json, changes: ReadonlyMap<string, Change>, places: Places): Json {
  if (!isJsonObject(document)) return document;
  const changed = copyOf(document, places);
  for (const section of sections) {
    const list = document[section];
    if (!Array.isArray(list)) continue;
    const items = list.map((runner) => {
      const change = changes.get(idOf(runner) ?? '');
      return change === undefined ? runner : merge(runner as JsonObject, change.fields, { places });
    });
    list.forEach((_, index) => places.mark(items, index, places.markOf(list, index)));
    changed[section] = items;
  }
  return changed;
}

/** Base and overlay may spell one field in two ways. Within a JSON Schema each spelling is a name of its own. */
function merge(
  base: JsonObject,
  change: JsonObject,
  { places, isFree = false }: { readonly places: Places; readonly isFree?: boolean },
): JsonObject {
  const merged = copyOf(base, places);
  for (const [name, value] of Object.entries(change)) {
    const spelled = spellingIn(merged, name, isFree);
    const before = merged[spelled];
    const mark = places.markOf(change, name);
    const isRemoved = value === null && mark?.origin !== 'refused';
    if (isRemoved || spelled !== name) delete merged[spelled];
    if (isRemoved) continue;
    places.mark(merged, name, mark);
    if (isJsonObject(before) && isJsonObject(value)) {
      merged[name] = merge(before, value, { places, isFree: isFree || isFreeForm(name) });
      // What a merged map lacks, it lacks where it stands in the spec.
      places.mark(merged, name, markOfMerged(mark, places.markOf(base, spelled)));
    } else merged[name] = value;
  }
  return merged;
}

function markOfMerged(change: Mark | undefined, base: Mark | undefined): Mark | undefined {
  return change && base && { ...change, value: base.value };
}

function spellingIn(fields: JsonObject, name: string, isFree: boolean): string {
  if (isFree || Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((other) => isSameField(other, name)) ?? name;
}

function copyOf(object: JsonObject, places: Places): JsonObject {
  const copy = { ...object };
  if (places.isPartial(object)) places.markPartial(copy);
  for (const name of Object.keys(object)) places.mark(copy, name, places.markOf(object, name));
  return copy;
}
