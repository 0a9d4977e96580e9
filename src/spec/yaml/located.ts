import type { Json, JsonObject } from '../../base/json';

/** Where something stands: as people count, from 1. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

export type LocatedScalar = {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** Its text came, in part, from the environment: it may stand for a number or for true or false. */
  readonly isExpanded?: boolean;
  /** What is wrong with it was said already: it has no value. */
  readonly isBroken?: boolean;
};

export type LocatedList = {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: readonly Located[];
};

export type LocatedEntry = { readonly key: Place; readonly value: Located };

export type LocatedMap = {
  readonly kind: 'map';
  readonly place: Place;
  readonly entries: ReadonlyMap<string, LocatedEntry>;
  /** An entry could not be read. */
  readonly isPartial?: boolean;
};

/** A value of a file that knows where each part of it stands. Aliases share nodes: it is a graph without cycles. */
export type Located = LocatedScalar | LocatedList | LocatedMap;

/** The value alone. */
export function plainValue(node: Located): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  const result: JsonObject = {};
  for (const [key, { value }] of node.entries) result[key] = plainValue(value);
  return result;
}

/** Nothing stands there. */
export function isNull(node: Located | undefined): boolean {
  return node?.kind === 'scalar' && node.value === null && !isBroken(node);
}

export function isBroken(node: Located): boolean {
  return node.kind === 'scalar' && node.isBroken === true;
}

export function textOf(node: Located | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
