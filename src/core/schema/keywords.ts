// The keywords of JSON Schema that limit values, and the places of schemas in them. Pure.

import { isJsonObject, type Json, type JsonObject, type Path } from '../../base';

/** What the value of a keyword must be. */
export type Kind =
  | 'schema'
  | 'schemas'
  | 'schemaOrSchemas'
  | 'named'
  | 'needs'
  | 'number'
  | 'count'
  | 'texts'
  | 'boolean';

const keywords: { readonly [keyword: string]: Kind } = {
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  prefixItems: 'schemas',
  items: 'schemaOrSchemas',
  additionalItems: 'schema',
  unevaluatedItems: 'schema',
  contains: 'schema',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  properties: 'named',
  patternProperties: 'named',
  $defs: 'named',
  definitions: 'named',
  dependentSchemas: 'named',
  dependentRequired: 'needs',
  dependencies: 'needs',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minContains: 'count',
  maxContains: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  required: 'texts',
  uniqueItems: 'boolean',
};

/** Keywords with schemas for the same value. Through these, a schema must not come back to itself. */
const inPlace = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
];

export function kindOf(keyword: string): Kind | undefined {
  return Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
}

/** The schemas in the value of a keyword, with the way to each. */
export function schemasIn(keyword: string, value: Json): readonly (readonly [Path, Json])[] {
  const kind = kindOf(keyword);
  const isList = kind === 'schemas' || kind === 'schemaOrSchemas';
  if (isList && Array.isArray(value)) return value.map((schema, index) => [[index], schema]);
  if (kind === 'schema' || kind === 'schemaOrSchemas') return [[[], value]];
  if ((kind !== 'named' && kind !== 'needs') || !isJsonObject(value)) return [];
  return Object.entries(value)
    .filter(([, schema]) => kind === 'named' || !Array.isArray(schema))
    .map(([name, schema]) => [[name], schema]);
}

/** A schema, and all schemas in it. */
export function* schemasWithin(root: JsonObject): Generator<JsonObject> {
  const open: Json[] = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isJsonObject(schema)) continue;
    yield schema;
    for (const [keyword, value] of Object.entries(schema))
      for (const [, inside] of schemasIn(keyword, value)) open.push(inside);
  }
}

/** The schemas within a schema that are applied to the same value. */
export function appliedInPlace(schema: JsonObject): readonly Json[] {
  return inPlace
    .filter((keyword) => Object.hasOwn(schema, keyword))
    .flatMap((keyword) => schemasIn(keyword, schema[keyword] as Json))
    .map(([, inside]) => inside);
}
