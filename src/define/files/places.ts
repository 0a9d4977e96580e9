import type { Json } from '../../base/json';
import { formatPath } from '../../base/problem';
import type { SchemaProblem } from '../problems/from-zod';
import { problemAt, type Place, type SpecProblem } from './problem';

export type Path = readonly (string | number)[];

/** `environment`: the text may stand for a number, for true or false. `refused`: its problem was reported; its value is null. */
export type ValueOrigin = 'environment' | 'refused';

/** Where a member of an object or a list stands, and how the file spells its key. */
export type Mark = {
  readonly value: Place;
  readonly key: Place;
  readonly written: string | number;
  readonly origin?: ValueOrigin | undefined;
};

/** A document of a file. */
export type Source = { readonly value: Json; readonly mark: Mark };

/** A value in a document. */
export type At = { readonly source: Source; readonly path: Path };

/** A value, as far as its path could be followed. */
type FoundValue = {
  readonly mark: Mark;
  readonly value: Json | undefined;
  readonly written: Path;
  /** How many keys of the path lead nowhere. */
  readonly left: number;
};

/**
 * Where the values of files stand. The values are plain JSON: their members are marked here, by the object or list that holds them.
 * A pass that makes new objects marks their members again.
 */
export class Places {
  readonly #marks = new WeakMap<object, Map<string | number, Mark>>();
  readonly #partial = new WeakSet<object>();

  mark(holder: object, key: string | number, mark: Mark | undefined): void {
    if (mark === undefined) return;
    const marks = this.#marks.get(holder) ?? new Map<string | number, Mark>();
    this.#marks.set(holder, marks.set(key, mark));
  }

  markOf(holder: object, key: string | number): Mark | undefined {
    return this.#marks.get(holder)?.get(key);
  }

  /** Some of its members could not be read. */
  markPartial(holder: object): void {
    this.#partial.add(holder);
  }

  isPartial(holder: object): boolean {
    return this.#partial.has(holder);
  }

  /** Whether everything in the value could be read. */
  isWhole(value: Json): boolean {
    if (!isHolder(value)) return true;
    const marks = [...(this.#marks.get(value)?.values() ?? [])];
    return (
      !this.isPartial(value) &&
      marks.every(({ origin }) => origin !== 'refused') &&
      Object.values(value).every((member) => this.isWhole(member))
    );
  }

  /** The value with the fields that are null, which passes leave out but mark. */
  withNulls(value: Json): Json {
    if (!isHolder(value)) return value;
    if (Array.isArray(value)) return value.map((item) => this.withNulls(item));
    const members = [...(this.#marks.get(value)?.keys() ?? [])].map((key) => {
      const member = memberOf(value, key);
      return [key, member === undefined ? null : this.withNulls(member)] as const;
    });
    return Object.fromEntries(members);
  }

  /** The value at a path, or the nearest one around it. */
  find({ source, path }: At): FoundValue {
    let { value, mark }: { value: Json | undefined; mark: Mark } = source;
    const written: (string | number)[] = [];
    for (const key of path) {
      const next: Mark | undefined = isHolder(value) ? this.markOf(value, key) : undefined;
      if (next === undefined) break;
      value = memberOf(value as object, key);
      mark = next;
      written.push(next.written);
    }
    const left = path.slice(written.length);
    return { mark, value, written: [...written, ...left], left: left.length };
  }

  /** A problem with its place. Nothing if something there was refused before: that is reported, and the rest may follow from it. */
  locate(at: At, { message, of }: Omit<SchemaProblem, 'path'>): readonly SpecProblem[] {
    const { mark, value, written, left } = this.find(at);
    const isExact = left === 0;
    const isPartial = isHolder(value) && this.isPartial(value);
    const isBroken = value !== undefined && of !== 'type' && !this.isWhole(value);
    const isRefused = mark.origin === 'refused' || (isExact ? isBroken : isPartial);
    if (isRefused && of !== 'key') return [];
    const isMissing = isExact && value === undefined;
    const place = of === 'key' || isMissing ? mark.key : mark.value;
    return [problemAt(place, formatPath(written), message)];
  }
}

/** `items[0].name` as `['items', 0, 'name']`. */
export function parsePath(text: string): Path {
  const keys = text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...keys].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

function isHolder(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function memberOf(holder: object, key: string | number): Json | undefined {
  return Object.hasOwn(holder, key)
    ? (holder as { readonly [key: string | number]: Json })[key]
    : undefined;
}
