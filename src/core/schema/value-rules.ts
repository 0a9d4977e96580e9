// The rules of keywords for a value itself. Pure.

import { describeValue, formatProblem, isJsonObject, type Json, quote } from '../../base';
import { type At, collected, type Found, listed, nothing, pathOf, textOf } from './rules';
import type { Rule, Rules } from './rules';

/** The most items in a message about alternatives or an enumeration. */
const mostSayings = 5;
const mostValues = 50;
const longestValue = 200;

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

function describeTypes(types: Json): string {
  const names = listed(types).map((type) => typeNames[textOf(type)] ?? textOf(type));
  return names.join(' or ');
}

const clipped = (text: string): string =>
  text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;

const show = (value: Json): string =>
  typeof value === 'string' ? quote(value) : clipped(JSON.stringify(value));

/** What a value must be. `expected` ends "must be …". */
const unless = (
  isRight: boolean,
  { place, value }: At,
  expected: () => string,
): readonly Found[] =>
  isRight
    ? nothing
    : [{ place, message: () => `must be ${expected()}, not ${describeValue(value)}` }];

export const count = (isRight: boolean, { place }: At, message: () => string): readonly Found[] =>
  isRight ? nothing : [{ place, message }];

export const isMet = ({ check, value, place }: At, schema: Json | undefined): boolean =>
  check.firstAt(schema, value, place) === undefined;

function describeChoices(values: readonly Json[]): string {
  const more = values.length - mostValues;
  const shown = values.slice(0, mostValues).map(show).join(', ');
  if (values.length === 1) return shown;
  return `one of ${shown}${more > 0 ? ` and ${more} others` : ''}`;
}

export const anyRules: Rules = {
  type: (type, at) =>
    unless(
      typeof type === 'string'
        ? isOfType(type, at.value)
        : listed(type).some((one) => isOfType(one, at.value)),
      at,
      () => describeTypes(type),
    ),
  enum: (values, at) =>
    unless(at.check.isOneOf(values, at.value), at, () => describeChoices(listed(values))),
  const: (value, at) => unless(at.check.isSame(value, at.value), at, () => show(value)),
  allOf: (schemas, at) =>
    collected(at, listed(schemas), (schema) => at.check.at(schema, at.value, at.place)),
  anyOf: (schemas, at) => {
    const found: Found[] = [];
    for (const schema of listed(schemas)) {
      const first = at.check.firstAt(schema, at.value, at.place);
      if (first === undefined) return nothing;
      found.push(first);
    }
    return [noAlternative(at, found)];
  },
  oneOf: (schemas, at) => {
    const found = listed(schemas).map((schema) => at.check.firstAt(schema, at.value, at.place));
    const met = found.filter((first) => first === undefined).length;
    if (met === 0) return [noAlternative(at, found)];
    const message = 'fits more than one alternative, and must fit exactly one';
    return count(met === 1, at, () => message);
  },
  not: (schema, at) => count(!isMet(at, schema), at, () => 'is what the schema excludes'),
  if: (schema, at) => {
    const branch = at.schema[isMet(at, schema) ? 'then' : 'else'];
    return branch === undefined ? nothing : at.check.at(branch, at.value, at.place);
  },
  $ref: (reference, { check, value, place }) =>
    typeof reference === 'string' ? check.at(check.target(reference), value, place) : nothing,
};

const noFit = 'fits no alternative';

/** The first problem of each alternative. Alternatives inside an alternative are not listed. */
function noAlternative({ place }: At, found: readonly (Found | undefined)[]): Found {
  const message = (): string => {
    const sayings = new Set<string>();
    for (const first of found) {
      if (first === undefined || sayings.size >= mostSayings) continue;
      const path = pathOf(first.place, place);
      sayings.add(formatProblem({ path, message: first.short ?? first.message() }));
    }
    return `${noFit}: ${[...sayings].join('; or ')}`;
  };
  return { place, message, short: noFit };
}

/** True if one number is a multiple of the other, but for the last bits of both. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  const tolerance = 1e-12 * Math.max(1, Math.abs(quotient));
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= tolerance;
}

const bound =
  (words: string, isRight: (value: number, limit: number) => boolean): Rule =>
  (limit, at) => {
    if (typeof limit !== 'number') return nothing;
    return unless(isRight(Number(at.value), limit), at, () => `${words} ${limit}`);
  };

export const numberRules: Rules = {
  minimum: bound('at least', (value, limit) => value >= limit),
  maximum: bound('at most', (value, limit) => value <= limit),
  exclusiveMinimum: bound('more than', (value, limit) => value > limit),
  exclusiveMaximum: bound('less than', (value, limit) => value < limit),
  multipleOf: bound('a multiple of', isMultiple),
  format: (name, at) =>
    unless(at.check.hasFormat(textOf(name), Number(at.value)), at, () => `a valid ${textOf(name)}`),
};

export const countRule =
  (words: 'at least' | 'at most', what: string, size: (at: At) => number): Rule =>
  (limit, at) => {
    if (typeof limit !== 'number') return nothing;
    const isRight = words === 'at least' ? size(at) >= limit : size(at) <= limit;
    const isEmpty = words === 'at least' && limit === 1;
    const message = (): string =>
      isEmpty ? 'must not be empty' : `must have ${words} ${limit} ${what}`;
    return count(isRight, at, message);
  };

/** The length in characters, not in halves of surrogate pairs. */
function lengthOf({ check, value }: At): number {
  const text = textOf(value);
  check.spendOn(text);
  let length = 0;
  for (let at = 0; at < text.length; length += 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

export const textRules: Rules = {
  minLength: countRule('at least', 'characters', lengthOf),
  maxLength: countRule('at most', 'characters', lengthOf),
  pattern: (source, at) => {
    if (typeof source !== 'string') return nothing;
    const message = (): string =>
      `must match the pattern ${clipped(source)}, not ${describeValue(at.value)}`;
    return count(at.check.matches(source, textOf(at.value)), at, message);
  },
  format: (name, at) => {
    at.check.spendOn(textOf(at.value));
    return unless(
      at.check.hasFormat(textOf(name), textOf(at.value)),
      at,
      () => `a valid ${textOf(name)}`,
    );
  },
};
