// Whether a contract has only grown. Each problem names the place and what was lost.
//
// 1. A member stays, as required or optional as it was, and with its type. A new member is optional: old data lacks it.
// 2. A union keeps its alternatives, and may get more. A list keeps its names, and may get more.
// 3. A limit may rise, and so may the number of a format. All other constants stay.

import type { Definitions, Shape } from './shapes';

export type Contract = {
  readonly version: string;
  readonly names: { readonly [list: string]: readonly string[] };
  readonly limits: { readonly [name: string]: number };
  readonly formats: { readonly [file: string]: number };
  readonly constants: { readonly [name: string]: unknown };
  readonly http: { readonly [operation: string]: unknown };
  readonly wire: Shape;
  readonly definitions: Definitions;
};

export function losses(before: Contract, now: Contract): readonly string[] {
  return [
    ...Object.entries(before.names).flatMap(([list, names]) =>
      names.filter((name) => !now.names[list]?.includes(name)).map((name) => `${list}: no ${name}`),
    ),
    ...lowered('limits', before.limits, now.limits),
    ...lowered('formats', before.formats, now.formats),
    ...changed('constants', before.constants, now.constants),
    ...changed('http', before.http, now.http),
    ...new Shapes(before.definitions, now.definitions).losses('wire', before.wire, now.wire),
  ];
}

type Numbers = { readonly [name: string]: number };

function lowered(what: string, before: Numbers, now: Numbers): readonly string[] {
  return Object.entries(before)
    .filter(([name, value]) => !((now[name] ?? -1) >= value))
    .map(([name, value]) => `${what}.${name}: was ${value}, is ${now[name]}`);
}

/** Members of objects and alternatives may come. Everything else stays, except texts for people. */
function changed(path: string, before: unknown, now: unknown): readonly string[] {
  if (isObject(before) && isObject(now))
    return Object.entries(before).flatMap(([name, value]) =>
      name === 'description' ? [] : changed(`${path}.${name}`, value, now[name]),
    );
  if (Array.isArray(before) && Array.isArray(now) && /\.(?:enum|anyOf|oneOf)$/.test(path)) {
    const kept = new Set(now.map((part) => JSON.stringify(part)));
    return before
      .map((part) => JSON.stringify(part))
      .filter((part) => !kept.has(part))
      .map((part) => `${path}: no ${part}`);
  }
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  return [`${path}: was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`];
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class Shapes {
  readonly #before: Definitions;
  readonly #now: Definitions;
  /** Pairs that are being compared: some types contain themselves. What is found inside one holds only if the pair itself does. */
  readonly #open = new Set<string>();

  constructor(before: Definitions, now: Definitions) {
    this.#before = before;
    this.#now = now;
  }

  losses(path: string, before: Shape, now: Shape): readonly string[] {
    if (!isRef(before) && !isRef(now)) return this.#compare(path, before, now);
    const pair = JSON.stringify([before, now]);
    if (this.#open.has(pair)) return [];
    this.#open.add(pair);
    const found = this.#compare(path, opened(before, this.#before), opened(now, this.#now));
    this.#open.delete(pair);
    return found;
  }

  #compare(path: string, before: Shape, now: Shape): readonly string[] {
    if (isUnion(before) || isUnion(now)) return this.#union(path, partsOf(before), partsOf(now));
    return this.#structure(path, before, now) ?? different(path, before, now);
  }

  /** Undefined if they are no structures of the same kind. */
  #structure(path: string, before: Shape, now: Shape): readonly string[] | undefined {
    if (typeof before !== 'object' || typeof now !== 'object') return undefined;
    if ('members' in before && 'members' in now) return this.#members(path, before, now);
    if ('items' in before && 'items' in now)
      return this.losses(`${path}[]`, before.items, now.items);
    if (!('tuple' in before && 'tuple' in now)) return undefined;
    if (before.tuple.length !== now.tuple.length) return undefined;
    return before.tuple.flatMap((part, n) =>
      this.losses(`${path}[${n}]`, part, now.tuple[n] ?? 'never'),
    );
  }

  #members(
    path: string,
    before: Extract<Shape, { members: unknown }>,
    now: Extract<Shape, { members: unknown }>,
  ): readonly string[] {
    const kept = Object.entries(before.members).flatMap(([name, shape]) => {
      const found = now.members[name];
      if (found === undefined) return [`${path}: no ${name}`];
      return this.losses(`${path}.${name}`, shape, found);
    });
    const demanded = Object.keys(now.members).filter(
      (name) => !name.endsWith('?') && !(name in before.members),
    );
    const rest =
      before.rest === undefined
        ? []
        : this.losses(`${path}.*`, before.rest, now.rest ?? 'no other members');
    return [...kept, ...demanded.map((name) => `${path}: ${name} is new and required`), ...rest];
  }

  /** Each old alternative needs a new one. Of several that do not fit, the closest says why. */
  #union(path: string, before: readonly Shape[], now: readonly Shape[]): readonly string[] {
    return before.flatMap((part) => {
      const tried = now.map((other) => this.losses(path, part, other));
      const [closest = [`${path}: no ${brief(part)}`]] = tried.sort((a, b) => a.length - b.length);
      return closest;
    });
  }
}

function different(path: string, before: Shape, now: Shape): readonly string[] {
  const isWidened = isConst(before) && typeof before.const === now;
  if (isWidened || JSON.stringify(before) === JSON.stringify(now)) return [];
  return [`${path}: was ${brief(before)}, is ${brief(now)}`];
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
