import { isJsonObject, type JsonSchema } from '../../base/json';
import { didYouMean } from '../../base/nearest';
import { describeValue, quote } from '../../base/problem';
import { fieldName } from './field-names';
import { defaultKindKeyword, valuesKeyword } from './format-keywords';
import { plainValue, type Located, type LocatedMap } from './located';

export type Alternative =
  | { readonly schema: JsonSchema }
  /** The value is not of the type of exactly one of the alternatives. */
  | { readonly kind: 'any'; readonly alternatives: readonly JsonSchema[] }
  /** An object of a kind that is none. */
  | {
      readonly kind: 'unknown';
      readonly node: Located;
      readonly written: string;
      readonly message: string;
    };

export function resolveSchema(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  const name = schema.$ref.replace('#/$defs/', '');
  return resolveSchema(definitions[name] as JsonSchema, definitions);
}

/** The alternative of a union that a value is meant to be: by what it is, by its kind, or as a reference. */
export function chooseAlternative(
  union: JsonSchema,
  node: Located,
  definitions: JsonSchema,
): Alternative {
  const all = alternativesOf(union, definitions);
  if (node.kind !== 'map') {
    const fitting = all.filter((schema) => isMeantFor(schema, node));
    const [one, other] = fitting;
    return one !== undefined && other === undefined
      ? { schema: one }
      : { kind: 'any', alternatives: all };
  }
  const objects = all.filter(({ type }) => type === 'object');
  const [only] = objects;
  if (only === undefined) return { kind: 'any', alternatives: all };
  const reference = objects.find(
    ({ properties }) => node.entries.has('ref') && isJsonObject(properties) && 'ref' in properties,
  );
  if (reference !== undefined || objects.length === 1) return { schema: reference ?? only };
  return byKind(union, objects, node);
}

function byKind(union: JsonSchema, objects: readonly JsonSchema[], node: LocatedMap): Alternative {
  const isKind = (name: string) => name === 'kind';
  const found = [...node.entries].find(([written]) => fieldName(written, isKind) === 'kind');
  const [written = 'kind', entry] = found ?? [];
  const value = entry === undefined ? union[defaultKindKeyword] : plainValue(entry.value);
  const kinds = objects.map(kindsOf);
  const index = kinds.findIndex((names) => typeof value === 'string' && names.includes(value));
  const schema = objects[index];
  if (schema !== undefined) return { schema };
  const known = kinds.flatMap((names) => names.slice(0, 1));
  const list = known.map(quote).join(', ');
  if (entry === undefined) {
    return { kind: 'unknown', node, written, message: `is required: one of ${list}` };
  }
  const near = typeof value === 'string' ? didYouMean(value, kinds.flat()) : '';
  const message = `must be one of ${list}, not ${describeValue(value)}${near}`;
  return { kind: 'unknown', node: entry.value, written, message };
}

/** What the kind of an object may be called, our own name first. */
function kindsOf({ properties }: JsonSchema): readonly string[] {
  const kind = isJsonObject(properties) ? properties.kind : undefined;
  if (!isJsonObject(kind)) return [];
  return [kind.const as string, ...Object.keys((kind[valuesKeyword] ?? {}) as object)];
}

function alternativesOf(union: JsonSchema, definitions: JsonSchema): readonly JsonSchema[] {
  return (union.anyOf as readonly JsonSchema[]).flatMap((alternative) => {
    const schema = resolveSchema(alternative, definitions);
    return Array.isArray(schema.anyOf) ? alternativesOf(schema, definitions) : [schema];
  });
}

/** One text among the alternatives is what a text is checked against; choices are told apart by the union itself. */
function isMeantFor({ type }: JsonSchema, node: Located): boolean {
  if (node.kind === 'list') return type === 'array';
  return node.kind === 'scalar' && typeof node.value === 'string' && type === 'string';
}
