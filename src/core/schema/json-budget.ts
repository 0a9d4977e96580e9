// Measures JSON that anybody may have written, before other code reads it. It reads each value once, and stops at the budget. Pure.

import { utf8Length } from '../../base';
import { patternSteps } from './pattern-steps';

/** The limits for all values together. `patternSteps` counts the steps of all regular expressions, with their repetitions written out. */
export type JsonBudget = {
  readonly bytes: number;
  readonly values: number;
  readonly levels: number;
  readonly patternSteps: number;
};

type Place = { readonly value: unknown; readonly level: number };

/** The limit that is exceeded, as words that follow a name. Undefined if all is within the budget. */
export function budgetProblem(value: unknown, most: JsonBudget): string | undefined {
  const used = { bytes: 0, values: 0, levels: 0, patternSteps: 0 };
  const open: Place[] = [{ value, level: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    used.values += 1;
    used.levels = Math.max(used.levels, place.level);
    used.bytes += ownBytes(place.value);
    const level = place.level + 1;
    for (const [name, member] of membersOf(place.value)) {
      used.bytes += utf8Length(name);
      used.patternSteps += stepsIn(name, member);
      open.push({ value: member, level });
      if (used.values + open.length > most.values) return problem('values', most);
    }
    if (used.bytes > most.bytes) return problem('bytes', most);
    if (used.levels > most.levels) return problem('levels', most);
    if (used.patternSteps > most.patternSteps) return problem('patternSteps', most);
  }
  return undefined;
}

/** Brackets, commas and escapes do not count: they are at most a few bytes for each value. */
function ownBytes(value: unknown): number {
  return typeof value === 'string' ? utf8Length(value) : 1;
}

function membersOf(value: unknown): Iterable<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? itemsOf(value) : Object.entries(value);
}

function* itemsOf(items: readonly unknown[]): Generator<readonly [string, unknown]> {
  for (const item of items) yield ['', item];
}

function stepsIn(name: string, value: unknown): number {
  if (name === 'pattern' && typeof value === 'string') return patternSteps(value);
  if (name !== 'patternProperties' || typeof value !== 'object' || value === null) return 0;
  return Object.keys(value).reduce((sum, source) => sum + patternSteps(source), 0);
}

const words: Readonly<Record<keyof JsonBudget, (most: number) => string>> = {
  bytes: (most) => `more than ${most} bytes`,
  values: (most) => `more than ${most} values`,
  levels: (most) => `more than ${most} levels`,
  patternSteps: (most) => `patterns of more than ${most} steps, with their repetitions written out`,
};

function problem(what: keyof JsonBudget, most: JsonBudget): string {
  return `has ${words[what](most[what])}`;
}
