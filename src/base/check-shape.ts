import { isJsonObject, type Json } from './json';
import { describeValue, didYouMean, formatPath, type Path, type Problem, quote } from './problem';

/** A JSON Schema of our own. It has no other keywords than these. */
export type Schema = {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly const?: Json;
  readonly enum?: Json[];
  readonly anyOf?: Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: string[];
  readonly additionalProperties?: boolean;
  readonly description?: string;
};

const kinds = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/**
 * The first problem of a value that must have one of our own shapes (`protocol/shapes`), or undefined. Its message is for people. Schemas
 * that others wrote go through `core/schema`.
 */
export function shapeProblem(shape: Schema, value: unknown, path: Path = []): Problem | undefined {
  const problem = (message: string, ...within: Path): Problem => ({
    path: formatPath([...path, ...within]),
    message,
  });
  if (!matchesHere(shape, value))
    return problem(`must be ${expectation(shape, value)}, not ${describeValue(value)}`);
  if (Array.isArray(value)) {
    const { items = {}, minItems = 0, maxItems = Infinity } = shape;
    if (value.length < minItems) return problem('must not be empty');
    if (value.length > maxItems) return problem(`must have at most ${maxItems} items`);
    return firstProblem(value.entries(), ([index, item]) =>
      shapeProblem(items, item, [...path, index]),
    );
  }
  const { properties, required = [], additionalProperties } = shape;
  if (properties === undefined || !isJsonObject(value)) return undefined;
  const stranger = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (stranger !== undefined && additionalProperties === false) {
    const known = Object.keys(properties);
    return problem(`is not known${didYouMean(stranger, known)}`, stranger);
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined)
    return problem(`is required: ${expectation(properties[missing] ?? {})}`, missing);
  return firstProblem(Object.entries(properties), ([name, member]) =>
    Object.hasOwn(value, name) ? shapeProblem(member, value[name], [...path, name]) : undefined,
  );
}

function firstProblem<Part>(
  parts: Iterable<Part>,
  find: (part: Part) => Problem | undefined,
): Problem | undefined {
  for (const part of parts) {
    const problem = find(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Checks a value without its members and items. It checks a union as a whole. */
function matchesHere(shape: Schema, value: unknown): boolean {
  const { type, anyOf, enum: choices } = shape;
  return (
    (type === undefined || hasType(value, type)) &&
    (shape.const === undefined || shape.const === value) &&
    (choices === undefined || choices.some((choice) => choice === value)) &&
    (anyOf === undefined || anyOf.some((branch) => shapeProblem(branch, value) === undefined)) &&
    (typeof value !== 'number' || isInRange(shape, value)) &&
    (typeof value !== 'string' || matchesText(shape, value))
  );
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isJsonObject(value) : typeof value === type;
}

function isInRange({ minimum = -Infinity, maximum = Infinity }: Schema, value: number): boolean {
  return value >= minimum && value <= maximum;
}

function matchesText({ minLength = 0, pattern = '' }: Schema, value: string): boolean {
  return value.length >= minLength && new RegExp(pattern, 'u').test(value);
}

function expectation(shape: Schema, value?: unknown): string {
  const { type, minimum, maximum } = shape;
  if (shape.enum !== undefined) return `one of ${shape.enum.map(show).join(', ')}`;
  if (shape.const !== undefined) return show(shape.const);
  if (value === '') return 'a text that is not empty';
  const kind = type === undefined ? 'something else' : kinds[type];
  if (maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind} of at least ${minimum}`;
}

function show(value: Json): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

/** A copy without the members that the shape does not know, at any depth. */
export function knownPart(shape: Schema, value: unknown): unknown {
  const { properties, items } = shape;
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item) => knownPart(items, item));
  if (!isJsonObject(value) || properties === undefined) return value;
  const known = Object.entries(properties).flatMap(([name, member]) =>
    Object.hasOwn(value, name) ? [[name, knownPart(member, value[name])] as const] : [],
  );
  return Object.fromEntries(known);
}
