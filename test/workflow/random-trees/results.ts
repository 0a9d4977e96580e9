// What a run of a tree may come to, and how such results add up.

import type { Json, JsonObject } from '../../../src/base/json';

/** The keys that differ from the session it began with; null of those that are gone. */
export type Changes = { readonly [key: string]: Json };

/** What it took: null where that depends on who was faster. */
export type Cost = { readonly tokens: number | null; readonly asks: number | null };

export type Complete = Cost & {
  readonly kind: 'complete';
  readonly text: string;
  readonly combinedText?: string;
  readonly iterations: number;
  readonly changes: Changes;
};

export type Failed = Cost & { readonly kind: 'failed'; readonly code: string };

export type Result = Complete | Failed;

/** Thrown of a tree with too many possible results to be worth testing. */
export class TooManyResults extends Error {}

const mostResults = 60;
/** Of what costs nothing. */
export const free: Cost = { tokens: 0, asks: 0 };
export const unknown: Cost = { tokens: null, asks: null };

export type Given = { readonly input: string; readonly session: JsonObject };

export function apply(session: JsonObject, changes: Changes): JsonObject {
  const after: { [key: string]: Json } = { ...session };
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete after[key];
    else after[key] = value;
  }
  return after;
}

export function add(...costs: readonly Cost[]): Cost {
  const sum = (amounts: readonly (number | null)[]): number | null =>
    amounts.reduce(
      (total, amount) => (total === null || amount === null ? null : total + amount),
      0,
    );
  return {
    tokens: sum(costs.map(({ tokens }) => tokens)),
    asks: sum(costs.map(({ asks }) => asks)),
  };
}

export function distinct<Item>(items: readonly Item[]): readonly Item[] {
  const byText = new Map(items.map((item) => [JSON.stringify(item), item]));
  if (byText.size > mostResults) throw new TooManyResults();
  return [...byText.values()];
}

/** All ways to choose one of each. */
export function product<Item>(choices: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  return choices.reduce<readonly (readonly Item[])[]>(
    (ways, items) => distinct(ways.flatMap((way) => items.map((item) => [...way, item]))),
    [[]],
  );
}

export function changesBetween(before: JsonObject, after: JsonObject): Changes {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = keys.filter((key) => before[key] !== after[key]);
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}
