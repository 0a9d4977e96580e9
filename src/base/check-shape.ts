import { isJsonObject, type JsonObject, type JsonSchema } from './json';
import { describeValue, didYouMean, formatPath, type Path, type Problem, quote } from './problem';

/** A limit, because input comes from outside: a thousand wrong keys must not cost a thousand searches. */
const mostUnknown = 50;

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  array: 'an array',
  object: 'an object',
};

/**
 * Checks data against one of our own schemas, in workflows and elsewhere. Its messages are for people. It knows only the keywords of those
 * schemas. Users' schemas go through `compileSchema` and definitions through zod; neither runs in a workflow.
 */
export function shapeProblems(schema: JsonSchema, value: unknown, path: Path = []): Problem[] {
  if (!matchesHere(schema, value)) {
    const message = `must be ${expectation(schema, value)}, not ${describeValue(value)}`;
    return [{ path: formatPath(path), message }];
  }
  if (Array.isArray(value)) return itemProblems(schema, value, path);
  return isJsonObject(value) ? memberProblems(schema, value, path) : [];
}

/** Checks a value without its members and items. It checks a union as a whole. */
function matchesHere(schema: JsonSchema, value: unknown): boolean {
  const { type, anyOf, enum: choices } = schema;
  return (
    (type === undefined || hasType(value, type)) &&
    (schema.const === undefined || schema.const === value) &&
    (!Array.isArray(choices) || choices.some((choice) => choice === value)) &&
    (typeof value !== 'number' || isInRange(schema, value)) &&
    (typeof value !== 'string' || matchesText(schema, value)) &&
    (!Array.isArray(anyOf) || anyOf.some((branch) => fits(branch, value)))
  );
}

/** Looks no further than the first wrong item: nobody reads what is wrong with the others. */
function fits(schema: unknown, value: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  if (!Array.isArray(value)) return shapeProblems(schema, value).length === 0;
  const { items, ...list } = schema;
  if (shapeProblems(list, value).length > 0) return false;
  return !isJsonObject(items) || value.every((item) => fits(items, item));
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isJsonObject(value) : typeof value === type;
}

function isInRange(schema: JsonSchema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return value >= Number(minimum) && value <= Number(maximum);
}

function matchesText({ minLength, pattern }: JsonSchema, value: string): boolean {
  const isLongEnough = value.length >= Number(minLength ?? 0);
  return isLongEnough && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value));
}

function expectation(schema: JsonSchema, value: unknown): string {
  const { type, minimum, maximum } = schema;
  if (schema.enum !== undefined) return `one of ${(schema.enum as unknown[]).map(show).join(', ')}`;
  if (schema.const !== undefined) return show(schema.const);
  if (value === '') return 'a text that is not empty';
  const kind = typeof type === 'string' ? (kinds[type] ?? type) : 'something else';
  if (maximum !== undefined) return `${kind} from ${show(minimum)} to ${show(maximum)}`;
  return minimum === undefined ? kind : `${kind} of at least ${show(minimum)}`;
}

function itemProblems(schema: JsonSchema, items: readonly unknown[], path: Path): Problem[] {
  const { items: itemSchema, minItems, maxItems } = schema;
  if (minItems !== undefined && items.length < Number(minItems)) {
    return [{ path: formatPath(path), message: 'must not be empty' }];
  }
  if (maxItems !== undefined && items.length > Number(maxItems)) {
    return [{ path: formatPath(path), message: `must have at most ${show(maxItems)} items` }];
  }
  if (!isJsonObject(itemSchema)) return [];
  return items.flatMap((item, index) => shapeProblems(itemSchema, item, [...path, index]));
}

function memberProblems(schema: JsonSchema, value: JsonObject, path: Path): Problem[] {
  if (!isJsonObject(schema.properties)) return [];
  const { properties, additionalProperties: takesMore } = schema;
  const names = takesMore === true ? [] : Object.keys(value);
  const strangers = names.filter((name) => !Object.hasOwn(properties, name));
  const unknown = strangers.slice(0, mostUnknown).map((name) => {
    const message = `is not known${didYouMean(name, Object.keys(properties))}`;
    return { path: formatPath([...path, name]), message };
  });
  const missing = ((schema.required ?? []) as string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => {
      const message = `is required: ${expectation(properties[name] as JsonSchema, undefined)}`;
      return { path: formatPath([...path, name]), message };
    });
  const wrong = Object.entries(properties).flatMap(([name, member]) =>
    Object.hasOwn(value, name) && isJsonObject(member)
      ? shapeProblems(member, value[name], [...path, name])
      : [],
  );
  return [...unknown, ...missing, ...wrong];
}

/** A copy without the members that the schema does not know, at any depth. */
export function knownPart(schema: JsonSchema, value: unknown): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value))
    return isJsonObject(items) ? value.map((item) => knownPart(items, item)) : value;
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const known = Object.entries(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonObject(own) ? [[name, knownPart(own, member)] as const] : [];
  });
  return Object.fromEntries(known);
}

function show(value: unknown): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}
