import { isJsonObject, type Json, type JsonSchema } from '../base/json';

/** Keywords whose value is data, not schemas: a `pattern` or `$ref` in there is only a word. */
const dataKeywords = ['const', 'enum', 'default', 'examples'];

/** Keywords whose members' names are the user's, not keywords. */
const namedSchemas = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];

export type SchemaPart = {
  readonly path: readonly (string | number)[];
  readonly schema: Json;
};

/** What stands in a schema and may be a schema itself. */
export function partsOf(schema: JsonSchema): SchemaPart[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (dataKeywords.includes(keyword)) return [];
    if (namedSchemas.includes(keyword) && isJsonObject(value)) return membersOf(value, [keyword]);
    if (Array.isArray(value)) {
      return value.map((item, index) => ({ path: [keyword, index], schema: item }));
    }
    return isJsonObject(value) ? [{ path: [keyword], schema: value }] : [];
  });
}

function membersOf(schemas: JsonSchema, path: readonly string[]): SchemaPart[] {
  return Object.entries(schemas).map(([name, schema]) => ({ path: [...path, name], schema }));
}
