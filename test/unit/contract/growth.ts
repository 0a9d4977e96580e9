// Whether a contract has only grown. Each problem names the place and what was lost.
//
// 1. A member stays, as required or optional as it was, and with its type. A new member is optional: old data lacks it.
// 2. A union keeps its alternatives, and may get more. A list keeps its names, and may get more.
// 3. A limit may rise, and so may the number of a format. All other constants stay.
// 4. Versions of Node and of peers that were good stay good.
// 5. What a function gives may get more members, which nobody has to look at. What it takes may get optional ones. New parameters are optional.
//    A function that is taken gives what is taken.

import type { Definitions, Shape, Signature } from './shapes';

export type Contract = {
  readonly version: string;
  readonly names: { readonly [list: string]: readonly string[] };
  readonly limits: { readonly [name: string]: number };
  readonly formats: { readonly [file: string]: number };
  readonly constants: { readonly [name: string]: unknown };
  readonly http: { readonly [operation: string]: unknown };
  /** The versions of Node and of peers. */
  readonly needs: { readonly [name: string]: Versions };
  /** The JSON Schema of spec files. */
  readonly specs: unknown;
  readonly wire: Shape;
  /** What each entry of the package exports. */
  readonly exports: { readonly [entry: string]: Shape };
  readonly definitions: Definitions;
};

type Versions = { readonly from: number; readonly below: number; readonly optional: boolean };

export function losses(before: Contract, now: Contract): readonly string[] {
  const shapes = new Shapes(before.definitions, now.definitions);
  return [
    ...Object.entries(before.names).flatMap(([list, names]) =>
      names.filter((name) => !now.names[list]?.includes(name)).map((name) => `${list}: no ${name}`),
    ),
    ...lowered('limits', before.limits, now.limits),
    ...lowered('formats', before.formats, now.formats),
    ...changed('constants', before.constants, now.constants),
    ...changed('http', before.http, now.http),
    ...changed('specs', before.specs, now.specs),
    ...demands(before.needs, now.needs),
    ...shapes.losses('given', 'wire', [before.wire, now.wire]),
    ...Object.entries(before.exports).flatMap(([entry, shape]) =>
      shapes.losses('made', entry, [shape, now.exports[entry] ?? 'no entry']),
    ),
  ];
}

type Numbers = { readonly [name: string]: number };

function lowered(what: string, before: Numbers, now: Numbers): readonly string[] {
  return Object.entries(before)
    .filter(([name, value]) => !((now[name] ?? -1) >= value))
    .map(([name, value]) => `${what}.${name}: was ${value}, is ${now[name]}`);
}

/** What a project that has all that this package needed would need. */
function demands(before: Contract['needs'], now: Contract['needs']): readonly string[] {
  return Object.entries(now)
    .filter(([name, { from, below, optional }]) => {
      const had = before[name];
      if (had === undefined) return !optional;
      return from > had.from || below < had.below || (had.optional && !optional);
    })
    .map(([name, { from }]) => `needs: ${name} from ${from} is not what it was`);
}

/** Members of objects and alternatives may come. Everything else stays, except texts for people. */
function changed(path: string, before: unknown, now: unknown): readonly string[] {
  if (isObject(before) && isObject(now))
    return Object.entries(before).flatMap(([name, value]) =>
      name === 'description' && typeof value === 'string'
        ? []
        : changed(`${path}.${name}`, value, now[name]),
    );
  if (Array.isArray(before) && Array.isArray(now) && /\.(?:enum|anyOf|oneOf)$/.test(path))
    return closest<unknown>(before, now, ([part, other]) => changed(path, part, other));
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  return [`${path}: was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`];
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `given`: others make it, and we read it, now and in data from before. `made`: we make it. */
type Way = 'given' | 'made';

const other = { given: 'made', made: 'given' } as const;

class Shapes {
  readonly #before: Definitions;
  readonly #now: Definitions;
  /** Pairs that are being compared, by depth: some types contain themselves. A pair within itself fits if all else does. */
  readonly #open = new Map<string, number>();
  /** What was found in a pair, whatever it stands in. */
  readonly #known = new Map<string, readonly string[]>();
  /** The smallest depth of an open pair that was taken to fit. */
  #assumed = Infinity;

  constructor(before: Definitions, now: Definitions) {
    this.#before = before;
    this.#now = now;
  }

  losses(way: Way, path: string, [before, now]: Pair<Shape>): readonly string[] {
    if (!isRef(before) && !isRef(now)) return this.#compare(way, path, [before, now]);
    const pair = JSON.stringify([way, before, now]);
    const depth = this.#open.get(pair);
    if (depth !== undefined) {
      this.#assumed = Math.min(this.#assumed, depth);
      return [];
    }
    const found = this.#known.get(pair) ?? this.#openPair(way, pair, [before, now]);
    return found.map((loss) => `${path}${loss}`);
  }

  /** The losses, each with its path from the pair on. */
  #openPair(way: Way, pair: string, [before, now]: Pair<Shape>): readonly string[] {
    const depth = this.#open.size;
    const assumed = this.#assumed;
    this.#assumed = Infinity;
    this.#open.set(pair, depth);
    const both: Pair<Shape> = [opened(before, this.#before), opened(now, this.#now)];
    const found = this.#compare(way, '', both);
    this.#open.delete(pair);
    if (found.length > 0 || this.#assumed >= depth) this.#known.set(pair, found);
    this.#assumed = Math.min(assumed, this.#assumed >= depth ? Infinity : this.#assumed);
    return found;
  }

  #compare(way: Way, path: string, [before, now]: Pair<Shape>): readonly string[] {
    if (isUnion(before) || isUnion(now))
      return this.#union(way, path, [partsOf(before), partsOf(now)]);
    return this.#structure(way, path, [before, now]) ?? different(path, before, now);
  }

  /** Undefined if they are no structures of the same kind. */
  #structure(way: Way, path: string, [before, now]: Pair<Shape>): readonly string[] | undefined {
    if (typeof before !== 'object' || typeof now !== 'object') return undefined;
    if ('members' in before && 'members' in now) return this.#members(way, path, [before, now]);
    if ('calls' in before && 'calls' in now)
      return closest(before.calls, now.calls, (pair) => this.#signature(way, path, pair));
    const [parts, others] = [orderedParts(before), orderedParts(now)];
    if (parts?.kind !== others?.kind || parts === undefined || others === undefined)
      return undefined;
    return this.#each(way, `${path}${parts.mark}`, [parts.of, others.of]);
  }

  #each(way: Way, path: string, [before, now]: Pair<readonly Shape[]>): readonly string[] {
    return before.flatMap((part, n) =>
      this.losses(way, `${path}[${n}]`, [part, now[n] ?? 'never']),
    );
  }

  #members(given: Way, path: string, [before, now]: Pair<Members>): readonly string[] {
    const way = before.isOurs === true ? 'made' : given;
    const kept = Object.entries(before.members).flatMap(([name, shape]) => {
      const found = now.members[name];
      if (found === undefined) return [`${path}: no ${name}`];
      return this.losses(way, `${path}.${name}`, [shape, found]);
    });
    const demanded = Object.keys(now.members).filter(
      (name) => way === 'given' && !name.endsWith('?') && !(name in before.members),
    );
    const rest =
      before.rest === undefined
        ? []
        : this.losses(way, `${path}.*`, [before.rest, now.rest ?? 'no other members']);
    return [...kept, ...demanded.map((name) => `${path}: ${name} is new and required`), ...rest];
  }

  #signature(way: Way, path: string, [before, now]: Pair<Signature>): readonly string[] {
    const place = `${path}()`;
    const taken = now.takes.slice(0, before.takes.length);
    const rests = Array<Shape>(before.takes.length - taken.length).fill(now.rest ?? 'nothing');
    return [
      ...this.#each(other[way], place, [before.takes, [...taken, ...rests]]),
      ...(now.needs > before.needs ? [`${place}: needs ${now.needs}, needed ${before.needs}`] : []),
      ...(before.rest === undefined
        ? []
        : this.losses(other[way], `${place}[…]`, [before.rest, now.rest ?? 'nothing'])),
      ...this.losses(way, place, [before.gives, now.gives]),
    ];
  }

  /** Each old alternative needs a new one. Of several that do not fit, the closest says why. */
  #union(way: Way, path: string, [before, now]: Pair<readonly Shape[]>): readonly string[] {
    const isLess = way === 'made' && now.includes('undefined') && !before.includes('undefined');
    return [
      ...(isLess ? [`${path}: may be undefined now`] : []),
      ...closest(before, now, (pair) => this.losses(way, path, pair)),
    ];
  }
}

/** For each part from before, what the part of now lacks that lacks least. */
function closest<Part>(
  before: readonly Part[],
  now: readonly Part[],
  compare: (pair: Pair<Part>) => readonly string[],
): readonly string[] {
  return before.flatMap((part) => {
    const text = JSON.stringify(part);
    const [alike, others] = [true, false].map((isAlike) =>
      now.filter((candidate) => (JSON.stringify(candidate) === text) === isAlike),
    );
    let least: readonly string[] | undefined;
    for (const candidate of [...(alike ?? []), ...(others ?? [])]) {
      const found = compare([part, candidate]);
      if (found.length === 0) return [];
      if (least === undefined || found.length < least.length) least = found;
    }
    return least ?? [];
  });
}

function different(path: string, before: Shape, now: Shape): readonly string[] {
  const isWidened = isConst(before) && typeof before.const === now;
  if (isWidened || JSON.stringify(before) === JSON.stringify(now)) return [];
  return [`${path}: was ${brief(before)}, is ${brief(now)}`];
}

type Pair<Part> = readonly [before: Part, now: Part];

type Members = Extract<Shape, { members: unknown }>;

type Ordered = { readonly kind: string; readonly mark: string; readonly of: readonly Shape[] };

function orderedParts(shape: Exclude<Shape, string>): Ordered | undefined {
  if ('items' in shape) return { kind: 'items', mark: '[]', of: [shape.items] };
  if ('foreign' in shape) return { kind: shape.foreign, mark: '<>', of: shape.of };
  if ('tuple' in shape) return { kind: `${shape.tuple.length}`, mark: '', of: shape.tuple };
  return undefined;
}

const isRef = (shape: Shape): shape is { readonly ref: string } =>
  typeof shape === 'object' && 'ref' in shape;

const isConst = (shape: Shape): shape is Extract<Shape, { const: unknown }> =>
  typeof shape === 'object' && 'const' in shape;

const isUnion = (shape: Shape): shape is Extract<Shape, { anyOf: unknown }> =>
  typeof shape === 'object' && 'anyOf' in shape;

const partsOf = (shape: Shape): readonly Shape[] => (isUnion(shape) ? shape.anyOf : [shape]);

function opened(shape: Shape, definitions: Definitions): Shape {
  return isRef(shape) ? (definitions[shape.ref] ?? 'never') : shape;
}

function brief(shape: Shape): string {
  const text = JSON.stringify(shape);
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
