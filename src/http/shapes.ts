// Checks bodies and queries against the shapes that routes declare. Each member has a `description`. Its texts name known members only.

import { type JsonObject, type Schema, shapeProblem } from '../base';
import { objectOf, type ValueOf } from '../protocol';
import { type FieldProblem, HttpProblem } from './problems';
import type { QueryParameter } from './route';

/** Throws an `HttpProblem` that lists what is wrong. */
export function checkBody(shape: Schema, body: JsonObject): void {
  const errors = membersProblems(shape, body);
  if (errors.length > 0)
    throw new HttpProblem('InvalidInput', { detail: 'the body does not fit', errors });
}

/** The parameters of a query. Each may be there once. A number is a number. */
export function readQuery<Known extends Readonly<Record<string, QueryParameter>>>(
  known: Known,
  url: URL,
): { readonly [Name in keyof Known]?: ValueOf<Known[Name]['schema']> } {
  const names = [...url.searchParams.keys()];
  const properties = Object.fromEntries(
    Object.entries(known).map(([name, { description, schema }]) => [
      name,
      { ...schema, description },
    ]),
  );
  const values = Object.fromEntries(
    [...url.searchParams].map(([name, text]) => [name, valueOf(properties[name], text)]),
  );
  const twice = new Set(names).size < names.length;
  const errors = [
    ...(twice ? [{ pointer: '', detail: 'a parameter is there twice' }] : []),
    ...membersProblems(objectOf({}, properties), values),
  ];
  if (errors.length === 0) return values as ReturnType<typeof readQuery<Known>>;
  throw new HttpProblem('InvalidInput', { detail: 'the query does not fit', errors });
}

function valueOf(shape: Schema | undefined, text: string): string | number {
  const isNumber = shape?.type === 'integer' && /^\d{1,15}$/.test(text);
  return isNumber ? Number(text) : text;
}

function membersProblems(
  { properties = {}, required = [] }: Schema,
  value: JsonObject,
): readonly FieldProblem[] {
  const names = Object.keys(properties);
  const isKnown = Object.keys(value).every((name) => Object.hasOwn(properties, name));
  const known = names.length === 0 ? 'nothing' : names.join(', ');
  const wrong = Object.entries(properties).filter(([name, member]) =>
    Object.hasOwn(value, name)
      ? shapeProblem(member, value[name]) !== undefined
      : required.includes(name),
  );
  return [
    ...(isKnown ? [] : [{ pointer: '', detail: `an unknown name; known: ${known}` }]),
    ...wrong.map(([name, { description }]) => ({
      pointer: `/${name}`,
      detail: `must be: ${description}`,
    })),
  ];
}
