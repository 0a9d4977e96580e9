import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base/json';
import { deepFreeze } from '../../base/plain-json';
import { fieldHelp } from './field-help';
import { otherSpellings } from './field-names';
import { formatDefinitions, formatSchema } from './format-schema';
import { valuesKeyword } from './format-keywords';

/** A value that is known when the spec is loaded. */
const environment = { $ref: '#/$defs/environment' };

/**
 * The JSON Schema of spec files, for editors: draft 2020-12. It is made of what files are checked against, with every spelling of a
 * field. What a schema cannot say (that an id is known, that prompts fit their tasks) is told when a spec is loaded.
 */
export function specFileSchema(): JsonSchema {
  const definitions = Object.entries(formatDefinitions).map(([name, schema]) => [
    name,
    publish(schema as JsonSchema),
  ]);
  return deepFreeze({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Longhaul spec',
    description: 'Agents and workflows as data',
    ...publish(formatSchema),
    $defs: {
      ...(Object.fromEntries(definitions) as JsonObject),
      environment: { type: 'string', pattern: '\\$\\{env:[^}]+\\}' },
    },
  });
}

/** Our own keywords are for messages and for reading; what they mean is written out. */
function publish(schema: JsonSchema): JsonObject {
  const values = Object.keys((schema[valuesKeyword] ?? {}) as object);
  const published: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || keyword === 'required') continue;
    if (keyword === 'properties') published[keyword] = publishProperties(schema);
    else if (keyword === 'const' && values.length > 0) published.enum = [value, ...values];
    else if (keyword === 'enum') published[keyword] = [...(value as Json[]), ...values];
    else published[keyword] = publishValue(value);
  }
  const required = isJsonObject(schema.properties) ? publishRequired(schema) : {};
  const leaf = { ...published, ...required };
  return needsChoice(schema) ? { anyOf: [leaf, environment] } : leaf;
}

function publishValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(publishValue);
  return isJsonObject(value) ? publish(value) : value;
}

function publishProperties({ properties: found, required = [] }: JsonSchema): JsonObject {
  const properties = found as JsonObject;
  const known = (name: string) => Object.hasOwn(properties, name);
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const help = fieldHelp(name);
    const member = publish(schema as JsonSchema);
    const published = (required as string[]).includes(name) ? member : orNull(member);
    const described = help === undefined ? published : { description: help, ...published };
    return [name, ...otherSpellings(name, known)].map((spelling) => [spelling, described]);
  });
  return Object.fromEntries(fields) as JsonObject;
}

/** A field that is null is left out. */
function orNull(schema: JsonObject): JsonObject {
  const nothing = { type: 'null' };
  const { anyOf, ...rest } = schema;
  return Array.isArray(anyOf) && Object.keys(rest).length === 0
    ? { anyOf: [...anyOf, nothing] }
    : { anyOf: [schema, nothing] };
}

/** One of the spellings of each field that must be there. */
function publishRequired({ properties, required = [] }: JsonSchema): JsonObject {
  const known = (name: string) => Object.hasOwn(properties as JsonObject, name);
  const choices = (required as string[]).map((name) => [name, ...otherSpellings(name, known)]);
  const single = choices.filter(({ length }) => length === 1).flat();
  const several = choices.filter(({ length }) => length > 1);
  return {
    ...(single.length > 0 && { required: single }),
    ...(several.length > 0 && {
      allOf: several.map((names) => ({ anyOf: names.map((name) => ({ required: [name] })) })),
    }),
  };
}

/** Where a text alone would not do, the variable that stands for the value must be allowed. */
function needsChoice({ type, pattern, const: only, enum: choices }: JsonSchema): boolean {
  const isNumber = type === 'integer' || type === 'number' || type === 'boolean';
  return isNumber || pattern !== undefined || only !== undefined || choices !== undefined;
}
