// Overlays: changes of runners and tools, merged into the documents of a spec.

import {
  didYouMean,
  formatPath,
  isJsonObject,
  type Json,
  type JsonObject,
  quote,
} from '../../base';
import { isSameField } from './names';
import {
  isFreeForm,
  type Mark,
  type Place,
  type Places,
  type Reading,
  type Source,
} from './places';

/** What a section lists, and the field that names an item. */
type Kind = { readonly noun: 'runner' | 'tool'; readonly key: 'id' | 'name' };

const runner: Kind = { noun: 'runner', key: 'id' };

const kinds: Readonly<Record<string, Kind>> = {
  agents: runner,
  workflows: runner,
  tools: { noun: 'tool', key: 'name' },
};
const sections = Object.keys(kinds);

type Change = {
  readonly kind: Kind;
  readonly id: string;
  readonly fields: JsonObject;
  readonly place: Place;
  readonly path: string;
};

/**
 * Merges an overlay into the documents of the spec: runner by runner, by id, and tool by tool, by name. Maps are merged field by field,
 * lists and values are replaced, and null removes a field.
 */
export function mergeOverlay(
  documents: readonly Source[],
  overlay: Source,
  reading: Reading,
): readonly Source[] {
  const changes = changesOf(overlay, reading);
  for (const { kind, id, place, path } of changes.values()) {
    const known = documents.flatMap(({ value }) => idsIn(value, kind));
    if (known.includes(id) || reading.hasUnreadFile) continue;
    const { noun, key } = kind;
    const meant = didYouMean(id, known) || '.';
    const message = `is no ${noun} of the specs${meant} An overlay changes ${noun}s; new ones belong in the specs`;
    reading.reportAt(place, `${path}.${key}`, message);
  }
  return documents.map(({ value, mark }) => ({
    value: applyChanges(value, changes, reading.places),
    mark,
  }));
}

function changesOf(overlay: Source, reading: Reading): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const { item, kind, place, path } of itemsOf(overlay, reading)) {
    const id = idOf(item, kind);
    const message =
      id === undefined
        ? `must have the ${kind.key} of the ${kind.noun} it changes`
        : `changes ${quote(id)}, which this overlay does before`;
    const slot = slotOf(kind, id);
    if (id === undefined || changes.has(slot)) {
      reading.reportAt(place, path, message);
    } else changes.set(slot, { kind, id, fields: item as JsonObject, place, path });
  }
  return changes;
}

/** A tool may have the id of a runner. */
function slotOf({ noun }: Kind, id: string | undefined): string {
  return `${noun} ${id ?? ''}`;
}

type Item = {
  readonly item: Json;
  readonly kind: Kind;
  readonly place: Place;
  readonly path: string;
};

/** What an overlay lists. */
function itemsOf({ value, mark }: Source, reading: Reading): readonly Item[] {
  if (!isJsonObject(value)) {
    const message = 'must have agents, workflows or tools';
    if (mark.origin !== 'refused') reading.reportAt(mark.value, '', message);
    return [];
  }
  return Object.entries(value).flatMap(([section, list]): readonly Item[] => {
    const { key, value: place } = reading.places.markOf(value, section) ?? {
      ...mark,
      key: mark.value,
    };
    const kind = kindOf(section);
    if (section === '$schema' || (list === null && kind !== undefined)) return [];
    if (Array.isArray(list) && kind !== undefined) {
      return list.map((item, index) => {
        const at = reading.places.markOf(list, index)?.value ?? place;
        return { item, kind, place: at, path: formatPath([section, index]) };
      });
    }
    if (kind === undefined) {
      reading.reportAt(key, section, `is not known${didYouMean(section, sections)}`);
    } else {
      const message = `must be a list of ${kind.noun}s, each with its ${kind.key}`;
      reading.reportAt(place, section, message);
    }
    return [];
  });
}

function kindOf(section: string): Kind | undefined {
  return Object.hasOwn(kinds, section) ? kinds[section] : undefined;
}

function idOf(item: Json, { key }: Kind): string | undefined {
  const id = isJsonObject(item) ? item[key] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function idsIn(document: Json, kind: Kind): readonly string[] {
  return sections.flatMap((section) => {
    const list = isJsonObject(document) && kindOf(section) === kind ? document[section] : undefined;
    return Array.isArray(list) ? list.flatMap((item) => idOf(item, kind) ?? []) : [];
  });
}

function applyChanges(document: Json, changes: ReadonlyMap<string, Change>, places: Places): Json {
  if (!isJsonObject(document)) return document;
  const changed = copyOf(document, places);
  for (const [section, kind] of Object.entries(kinds)) {
    const list = document[section];
    if (!Array.isArray(list)) continue;
    const items = list.map((item) => {
      const change = changes.get(slotOf(kind, idOf(item, kind)));
      return change === undefined ? item : merge(item as JsonObject, change.fields, { places });
    });
    list.forEach((_, index) => places.mark(items, index, places.markOf(list, index)));
    changed[section] = items;
  }
  return changed;
}

/** Base and overlay may spell one field in two ways. In a JSON Schema, two spellings are two names. */
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
      // A problem about a missing field of a merged map is reported at its place in the spec.
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
