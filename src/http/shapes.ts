// Checks bodies and queries against the shapes that routes declare. Its texts name known members only.

import { shapeProblems } from '../base/check-shape';
import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json';
import { type FieldProblem, HttpProblem } from './problems';
import type { QueryParameter } from './route';

/** A JSON object with these members and no others. Each has a `description`. */
export function shape(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/** Throws an `HttpProblem` that lists what is wrong. */
export function checkBody(schema: JsonSchema, body: JsonObject): void {
  const errors = membersProblems(schema, body);
  if (errors.length > 0)
    throw new HttpProblem('InvalidInput', { detail: 'the body does not fit', errors });
}

/** The parameters of a query. Each may be there once. A number is a number. */
export function readQuery(
  known: Readonly<Record<string, QueryParameter>>,
  url: URL,
): Readonly<Record<string, string | number>> {
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
    ...membersProblems(shape(properties), values),
  ];
  if (errors.length === 0) return values;
  throw new HttpProblem('InvalidInput', { detail: 'the query does not fit', errors });
}

function valueOf(schema: JsonSchema | undefined, text: string): string | number {
  const isNumber = schema?.['type'] === 'integer' && /^\d{1,15}$/.test(text);
  return isNumber ? Number(text) : text;
}

function membersProblems(schema: JsonSchema, value: JsonObject): readonly FieldProblem[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties);
  const isKnown = Object.keys(value).every((name) => Object.hasOwn(properties, name));
  const known = names.length === 0 ? 'nothing' : names.join(', ');
  return [
    ...(isKnown ? [] : [{ pointer: '', detail: `an unknown name; known: ${known}` }]),
    ...names.flatMap((name) => {
      const member = properties[name] as JsonSchema;
      if (Object.hasOwn(value, name) && shapeProblems(member, value[name]).length === 0) return [];
      if (!Object.hasOwn(value, name) && !required.includes(name)) return [];
      return [{ pointer: `/${name}`, detail: `must be: ${member['description'] as string}` }];
    }),
  ];
}
