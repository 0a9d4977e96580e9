import type { Alias, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { describeValue, formatPath, quote } from '../../base/problem';
import type { Located, LocatedEntry, LocatedMap, Place } from './located';
import { problemAt, type SpecProblem } from './spec-problem';
import { yamlLibrary } from './yaml-library';

type Path = readonly (string | number)[];

const deepest = 100;
/** With every alias written out. A few kilobytes can stand for billions. */
const mostNodes = 100_000;

const tags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

/** Nodes below a collection, itself included, and how deep they go. */
type Extent = { readonly size: number; readonly height: number };

/** Turns a parsed file into located values. Only the core schema gets here; other tags were refused. */
export class LocatedBuilder {
  readonly problems: SpecProblem[] = [];
  readonly #yaml = yamlLibrary();
  readonly #placeOf: (offset: number) => Place;
  readonly #anchors = new Map<string, Located | 'open'>();
  readonly #extents = new Map<Located, Extent>();

  constructor(placeOf: (offset: number) => Place) {
    this.#placeOf = placeOf;
  }

  /** A document's contents; `undefined` where there are none. */
  read(contents: Node | null): Located | undefined {
    if (contents === null || (this.#yaml.isScalar(contents) && contents.source === ''))
      return undefined;
    this.#anchors.clear();
    return this.#read(contents, []);
  }

  #read(node: Node | null, path: Path): Located {
    const place = this.#placeOf(node?.range?.[0] ?? 0);
    if (node === null) return { kind: 'scalar', place, value: null };
    if (this.#yaml.isAlias(node)) return this.#readAlias(node, path);
    const { anchor, tag } = node as { readonly anchor?: string; readonly tag?: string };
    if (tag !== undefined && !tags.includes(tag)) {
      return this.#refuse(place, path, tagMessage(tag));
    }
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const located = this.#readNode(node, path, place);
    if (anchor !== undefined) this.#anchors.set(anchor, located);
    return located;
  }

  #readNode(node: Node, path: Path, place: Place): Located {
    if (this.#yaml.isScalar(node)) return this.#readScalar(node, path, place);
    if (this.#yaml.isSeq(node)) {
      const items = node.items.map((item, index) => this.#read(item as Node, [...path, index]));
      return this.#sized({ kind: 'list', place, items }, items);
    }
    return this.#readMap(node as YAMLMap, path, place);
  }

  #readScalar({ value, source }: Scalar, path: Path, place: Place): Located {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.#refuse(place, path, `must be a finite number, not ${source ?? String(value)}`);
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
      return { kind: 'scalar', place, value };
    }
    if (typeof value === 'number') return { kind: 'scalar', place, value: value === 0 ? 0 : value };
    return this.#refuse(place, path, 'must be a text, a number, true, false or null');
  }

  #readMap(map: YAMLMap, path: Path, place: Place): LocatedMap {
    const entries = new Map<string, LocatedEntry>();
    const problems = this.problems.length;
    for (const pair of map.items as Pair<Node | null, Node | null>[]) {
      const key = this.#placeOf(pair.key?.range?.[0] ?? map.range?.[0] ?? 0);
      const name = this.#keyName(pair.key, { key, path });
      if (name === undefined) continue;
      const earlier = entries.get(name);
      const message = earlier === undefined ? keyMessage(name) : duplicateMessage(earlier);
      const value = pair.value ?? null;
      const located: Located =
        value === null
          ? { kind: 'scalar', place: key, value: null }
          : this.#read(value, [...path, name]);
      if (message === undefined) entries.set(name, { key, value: located });
      else this.#refuse(key, [...path, name], message);
    }
    const values = [...entries.values()].map(({ value }) => value);
    const isPartial = this.problems.length > problems;
    return this.#sized({ kind: 'map', place, entries, isPartial }, values);
  }

  #keyName(node: Node | null, at: { key: Place; path: Path }): string | undefined {
    const value = this.#yaml.isScalar(node) ? node.value : undefined;
    if (typeof value === 'string') return value;
    const hint = value === undefined ? '' : `, not ${describeValue(value)}: put it in quotes`;
    this.#refuse(at.key, at.path, `must have keys that are text${hint}`);
    return undefined;
  }

  #readAlias({ source, range }: Alias, path: Path): Located {
    const place = this.#placeOf(range?.[0] ?? 0);
    const target = this.#anchors.get(source);
    if (target === undefined) {
      return this.#refuse(place, path, `refers to ${quote(source)}, which no anchor before it has`);
    }
    if (target === 'open') return this.#refuse(place, path, `refers to what it stands in itself`);
    return target;
  }

  #sized<Collection extends Located>(node: Collection, children: readonly Located[]): Collection {
    const extents = children.map((child) => this.#extents.get(child) ?? { size: 1, height: 0 });
    const size = extents.reduce((sum, extent) => sum + extent.size, 1);
    const height = extents.reduce((most, extent) => Math.max(most, extent.height), 0) + 1;
    const message = tooMuch(size, height);
    if (message === undefined) {
      this.#extents.set(node, { size, height });
      return node;
    }
    this.#refuse(node.place, [], message);
    return node.kind === 'map' ? { ...node, entries: new Map() } : { ...node, items: [] };
  }

  #refuse(place: Place, path: Path, message: string): Located {
    this.problems.push(problemAt(place, formatPath(path), message));
    return { kind: 'scalar', place, value: null, isBroken: true };
  }
}

export function tagMessage(tag: string): string {
  return `has the tag ${quote(tag)}, which is not allowed: write plain values`;
}

function tooMuch(size: number, height: number): string | undefined {
  const most = mostNodes.toLocaleString('en');
  if (size > mostNodes) return `has more than ${most} values with its aliases written out`;
  return height > deepest ? `is nested more than ${deepest} levels deep` : undefined;
}

function keyMessage(name: string): string | undefined {
  if (name === '__proto__') return 'is not allowed as a key';
  return name === '<<' ? 'is a merge key: YAML 1.2 has none, write the fields out' : undefined;
}

function duplicateMessage({ key }: LocatedEntry): string {
  return `stands here a second time: first at line ${key.line}, column ${key.column}`;
}
