import { formatPath, isJsonObject, type Json, type JsonObject } from '../../base';

/** A place in a value: a member or an item of the place above it. */
export type Place = { readonly above: Place; readonly key: string | number } | undefined;

export function pathOf(place: Place, top?: Place): string {
  const path: (string | number)[] = [];
  for (let at = place; at !== undefined && at !== top; at = at.above) path.push(at.key);
  return formatPath(path.reverse());
}

/** A problem. `message` makes the text when it is read. `short` replaces it in a list of alternatives. */
export type Found = {
  readonly place: Place;
  readonly message: () => string;
  readonly short?: string;
};

export const nothing: readonly Found[] = [];

/** A check in progress, as the rules of keywords use it. */
export interface Check {
  at(schema: Json | undefined, value: Json, place: Place): readonly Found[];
  /** The first problem, if there is one. */
  firstAt(schema: Json | undefined, value: Json, place: Place): Found | undefined;
  /** So many problems end a check. */
  readonly enough: number;
  /** Throws when the steps are used up. */
  readonly spend: (steps: number) => void;
  /** The names in an object. None in anything else. */
  namesIn(value: Json | undefined): readonly string[];
  /** Spends the steps that reading a text costs. */
  spendOn(text: string): void;
  target(reference: string): Json | undefined;
  matches(source: string, text: string): boolean;
  hasFormat(name: string, value: string | number): boolean;
  isSame(left: Json, right: Json): boolean;
  isOneOf(values: Json, value: Json): boolean;
}

export type At = {
  readonly check: Check;
  readonly schema: JsonObject;
  readonly value: Json;
  readonly place: Place;
};

/** What a keyword finds wrong. */
export type Rule = (constraint: Json, at: At) => readonly Found[];
export type Rules = { readonly [keyword: string]: Rule };

/** Collects problems, and stops when there are enough. */
export function collected<Item>(
  { check }: At,
  items: readonly Item[],
  find: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  let all = nothing;
  for (let index = 0; index < items.length; index += 1) {
    const found = find(items[index] as Item, index);
    if (found.length > 0) all = all.length > 0 ? [...all, ...found] : found;
    if (all.length >= check.enough) return all;
  }
  return all;
}

export const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

export const textOf = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

export const memberOf = (object: Json | undefined, name: string): Json | undefined =>
  isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
