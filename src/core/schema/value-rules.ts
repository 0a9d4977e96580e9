// What keywords of a schema say about a value itself. Pure.

import { isJsonObject, type Json } from '../../base/json';
import { describeValue, formatPath, formatProblem, quote } from '../../base/problem';
import type { At, Found, Rule, Rules } from './rules';
import { hasFormat } from './formats';

export const mostProblems = 10;
/** In a message about a union, and about an enumeration. */
const mostSayings = 5;
const mostValues = 20;

export const nothing: readonly Found[] = [];

/** Looks no further when enough is wrong. */
export function collected<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  let all = nothing;
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found.length > 0) all = all.length > 0 ? [...all, ...found] : found;
    if (all.length >= mostProblems) return all;
  }
  return all;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function isOfType(type: Json, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

export const textOf = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
export const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);
const show = (value: Json): string =>
  typeof value === 'string' ? quote(value) : quote(JSON.stringify(value)).slice(1, -1);

/** What a value must be. `expected` ends "must be …". */
const unless = (isRight: boolean, { path, value }: At, expected: () => string): readonly Found[] =>
  isRight
    ? nothing
    : [{ path, message: () => `must be ${expected()}, not ${describeValue(value)}` }];

export const count = (isRight: boolean, { path }: At, message: string): readonly Found[] =>
  isRight ? nothing : [{ path, message: () => message }];

export const isMet = ({ check, value, path }: At, schema: Json): boolean =>
  check.at(schema, value, path).length === 0;

function describeChoices(values: readonly Json[]): string {
  const more = values.length - mostValues;
  const shown = values.slice(0, mostValues).map(show).join(', ');
  if (values.length === 1) return shown;
  return `one of ${shown}${more > 0 ? ` and ${more} others` : ''}`;
}

export const anyRules: Rules = {
  type: (types, at) =>
    unless(
      listed(types).some((type) => isOfType(type, at.value)),
      at,
      () =>
        listed(types)
          .map((type) => typeNames[textOf(type)] ?? textOf(type))
          .join(' or '),
    ),
  enum: (values, at) =>
    unless(
      listed(values).some((value) => at.check.isSame(value, at.value)),
      at,
      () => describeChoices(listed(values)),
    ),
  const: (value, at) => unless(at.check.isSame(value, at.value), at, () => show(value)),
  allOf: (schemas, { check, value, path }) =>
    collected(listed(schemas), (schema) => check.at(schema, value, path)),
  anyOf: (schemas, at) => {
    const found = listed(schemas).map((schema) => at.check.at(schema, at.value, at.path));
    return found.some((branch) => branch.length === 0) ? [] : [noAlternative(at, found)];
  },
  oneOf: (schemas, at) => {
    const found = listed(schemas).map((schema) => at.check.at(schema, at.value, at.path));
    const met = found.filter((branch) => branch.length === 0).length;
    if (met === 0) return [noAlternative(at, found)];
    return count(met === 1, at, 'fits more than one alternative, and must fit exactly one');
  },
  not: (schema, at) => count(!isMet(at, schema), at, 'is what the schema excludes'),
  if: (schema, at) => {
    const { check, value, path } = at;
    const branch = at.schema[isMet(at, schema) ? 'then' : 'else'];
    return branch === undefined ? [] : check.at(branch, value, path);
  },
  $ref: (pointer, { check, value, path }) =>
    check.at(check.pointedAt(textOf(pointer)), value, path),
};

function noAlternative({ path }: At, branches: readonly (readonly Found[])[]): Found {
  const message = (): string => {
    const sayings = branches.flatMap(([first]) =>
      first === undefined
        ? []
        : [
            formatProblem({
              path: formatPath(first.path.slice(path.length)),
              message: first.message(),
            }),
          ],
    );
    return `fits no alternative: ${[...new Set(sayings)].slice(0, mostSayings).join('; or ')}`;
  };
  return { path, message };
}

/** True if one number is a multiple of the other, but for the last bits of both. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  const tolerance = 1e-12 * Math.max(1, Math.abs(quotient));
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= tolerance;
}

const bound =
  (words: string, isRight: (value: number, limit: number) => boolean): Rule =>
  (limit, at) =>
    unless(isRight(Number(at.value), Number(limit)), at, () => `${words} ${textOf(limit)}`);

export const numberRules: Rules = {
  minimum: bound('at least', (value, limit) => value >= limit),
  maximum: bound('at most', (value, limit) => value <= limit),
  exclusiveMinimum: bound('more than', (value, limit) => value > limit),
  exclusiveMaximum: bound('less than', (value, limit) => value < limit),
  multipleOf: bound('a multiple of', isMultiple),
};

export const countRule =
  (words: 'at least' | 'at most', what: string, size: (at: At) => number): Rule =>
  (limit, at) => {
    const isRight = words === 'at least' ? size(at) >= Number(limit) : size(at) <= Number(limit);
    const isEmpty = words === 'at least' && limit === 1;
    const message = isEmpty ? 'must not be empty' : `must have ${words} ${textOf(limit)} ${what}`;
    return count(isRight, at, message);
  };

/** In characters, not in halves of surrogate pairs. */
function lengthOf({ check, value }: At): number {
  const text = textOf(value);
  check.spendOn(text);
  return [...text].length;
}

export const textRules: Rules = {
  minLength: countRule('at least', 'characters', lengthOf),
  maxLength: countRule('at most', 'characters', lengthOf),
  pattern: (source, at) =>
    unless(
      at.check.matches(textOf(source), textOf(at.value)),
      at,
      () => `a text that matches ${quote(textOf(source))}`,
    ),
  format: (name, at) => {
    at.check.spendOn(textOf(at.value));
    return unless(hasFormat(textOf(name), textOf(at.value)), at, () => `a valid ${textOf(name)}`);
  },
};
