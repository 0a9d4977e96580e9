import { isJsonObject, type Json, type JsonSchema } from '../../base/json';

const deepest = 10;

const keywords = new Set([
  ...[
    '$schema',
    '$id',
    '$ref',
    '$defs',
    'definitions',
    'title',
    'description',
    'type',
    'enum',
    'const',
  ],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'anyOf'],
  ...[
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
  ],
]);

const formats = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]);

/**
 * Whether OpenAI takes this schema in strict mode as it stands: every object closed and all its properties required, no
 * keyword it does not know. Schemas go out verbatim, so one that does not qualify is sent without strict, never rewritten.
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && schema['anyOf'] === undefined && isStrict(schema, 0);
}

function isStrict(schema: Json | undefined, depth: number): boolean {
  if (!isJsonObject(schema) || depth > deepest) return false;
  if (Object.keys(schema).some((keyword) => !keywords.has(keyword))) return false;
  if (typeof schema['format'] === 'string' && !formats.has(schema['format'])) return false;
  return isClosed(schema) && nestedSchemas(schema).every((nested) => isStrict(nested, depth + 1));
}

function isClosed(schema: JsonSchema): boolean {
  const { type, properties, required, additionalProperties } = schema;
  const isObjectSchema = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObjectSchema && properties === undefined) return true;
  if (additionalProperties !== false || !isJsonObject(properties)) return false;
  const listed = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).every((name) => listed.has(name));
}

function nestedSchemas(schema: JsonSchema): Json[] {
  const { properties, $defs, definitions, items, anyOf } = schema;
  const maps = [properties, $defs, definitions].filter((map) => map !== undefined);
  return [
    ...maps.flatMap((map) => (isJsonObject(map) ? Object.values(map) : [map])),
    ...(items === undefined ? [] : [items]),
    ...(anyOf === undefined ? [] : Array.isArray(anyOf) ? anyOf : [anyOf]),
  ];
}
