import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base/json';

/** The keywords the API takes in `responseJsonSchema`; others make it refuse the request. */
const keywords = new Set(
  (
    '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems ' +
    'minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'
  ).split(' '),
);
const schemaMaps = new Set(['properties', '$defs']);
const schemaLists = new Set(['prefixItems', 'anyOf', 'oneOf']);
const schemas = new Set(['items', 'additionalProperties']);

/**
 * The schema in keywords the API takes. What is left out only loosens it: the run checks the answer against the whole
 * schema afterwards. `const` and `definitions` are said in their other form.
 */
export function toResponseSchema(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(inOtherForm(schema)).flatMap(([key, value]): [string, Json][] =>
    keywords.has(key) ? [[key, keywordValue(key, value)]] : [],
  );
  return Object.fromEntries(fields);
}

function keywordValue(key: string, value: Json): Json {
  if (key === '$ref' && typeof value === 'string') {
    return value.replace(/^#\/definitions\//, '#/$defs/');
  }
  if (schemaMaps.has(key) && isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, subschema(member)]);
    return Object.fromEntries(members) as JsonObject;
  }
  if (schemaLists.has(key) && Array.isArray(value)) return value.map(subschema);
  return schemas.has(key) ? subschema(value) : value;
}

function subschema(value: Json): Json {
  return isJsonObject(value) ? toResponseSchema(value) : value;
}

function inOtherForm({ const: only, definitions, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(only === undefined || schema['enum'] !== undefined ? {} : { enum: [only] }),
    ...(definitions === undefined || schema['$defs'] !== undefined ? {} : { $defs: definitions }),
  };
}
