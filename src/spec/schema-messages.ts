import type { ErrorObject } from 'ajv';
import { didYouMean } from '../base/nearest';
import {
  describeValue,
  formatPath,
  formatProblem,
  joinPath,
  quote,
  type Problem,
} from '../base/problem';

type Message = (error: ErrorObject) => string;

const mostSayings = 5;
/** Nobody reads more, and sorting them out takes time that grows with the square. */
const mostErrors = 100;
/** Of an enumeration: a model sees the whole in the schema. */
const mostValues = 50;
const longestValue = 200;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const messages: Readonly<Record<string, Message>> = {
  type: (error) => `must be ${typeList(error.params.type)}, not ${describeValue(error.data)}`,
  enum: (error) =>
    `must be ${valueList(error.params.allowedValues)}, not ${describeValue(error.data)}`,
  const: (error) =>
    `must be ${showValue(error.params.allowedValue)}, not ${describeValue(error.data)}`,
  minimum: (error) => `must be at least ${error.params.limit}, not ${describeValue(error.data)}`,
  maximum: (error) => `must be at most ${error.params.limit}, not ${describeValue(error.data)}`,
  exclusiveMinimum: (error) =>
    `must be more than ${error.params.limit}, not ${describeValue(error.data)}`,
  exclusiveMaximum: (error) =>
    `must be less than ${error.params.limit}, not ${describeValue(error.data)}`,
  minLength: (error) =>
    error.params.limit === 1
      ? 'must not be empty'
      : `must have at least ${error.params.limit} characters`,
  maxLength: (error) => `must have at most ${error.params.limit} characters`,
  minItems: (error) =>
    error.params.limit === 1
      ? 'must not be empty'
      : `must have at least ${error.params.limit} items`,
  maxItems: (error) => `must have at most ${error.params.limit} items`,
  minProperties: (error) =>
    error.params.limit === 1
      ? 'must not be empty'
      : `must have at least ${error.params.limit} properties`,
  uniqueItems: (error) => `must not hold an item twice, as at ${positions(error.params)}`,
  pattern: (error) =>
    `must match the pattern ${error.params.pattern}, not ${describeValue(error.data)}`,
  format: (error) => `must be a valid ${error.params.format}, not ${describeValue(error.data)}`,
  required: () => 'is required',
  additionalProperties: (error) => unknownProperty(error, String(error.params.additionalProperty)),
  unevaluatedProperties: (error) =>
    unknownProperty(error, String(error.params.unevaluatedProperty)),
};

/** The validator's errors as problems a person or a model can act on. */
export function toProblems(found: readonly ErrorObject[]): Problem[] {
  const errors = found.slice(0, mostErrors);
  const unions = errors.filter(isUnion);
  const problems = errors
    .filter((error) => !unions.some((union) => isWithin(error, union)))
    .map((error) => (isUnion(error) ? unionProblem(error, errors) : toProblem(error)));
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

function toProblem(error: ErrorObject): Problem {
  const path = joinPath(pointerToPath(error.instancePath), memberOf(error));
  return { path, message: messages[error.keyword]?.(error) ?? error.message ?? 'is not valid' };
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/** What the branches of a union say contradicts each other: it becomes one problem. A branch may be elsewhere, by reference. */
function isWithin(error: ErrorObject, union: ErrorObject): boolean {
  if (error.schemaPath.startsWith(`${union.schemaPath}/`)) return true;
  const holder = union.schemaPath.slice(0, union.schemaPath.lastIndexOf('/'));
  const isInPlace = `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  return isInPlace && !error.schemaPath.startsWith(`${holder}/`);
}

function unionProblem(union: ErrorObject, errors: readonly ErrorObject[]): Problem {
  const { path, message } = toProblem(union);
  const branches = errors.filter((error) => isWithin(error, union) && !isUnion(error));
  const sayings = [...new Set(branches.map((error) => sayingOf(error, union)))];
  const shown = sayings.slice(0, mostSayings).join('; or ');
  return { path, message: shown === '' ? message : `fits no alternative: ${shown}` };
}

function sayingOf(error: ErrorObject, union: ErrorObject): string {
  const { path, message } = toProblem({
    ...error,
    instancePath: error.instancePath.slice(union.instancePath.length),
  });
  return formatProblem({ path, message });
}

/** Errors about a missing or unknown property are reported at that property. */
function memberOf(error: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params;
  const member: unknown = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof member === 'string' ? formatPath([member]) : '';
}

function pointerToPath(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  return formatPath(
    segments.map((segment) => {
      const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      return /^(0|[1-9]\d*)$/.test(name) ? Number(name) : name;
    }),
  );
}

function unknownProperty(error: ErrorObject, name: string): string {
  const schema = error.parentSchema as { readonly properties?: object } | undefined;
  return `is not allowed${didYouMean(name, Object.keys(schema?.properties ?? {}))}`;
}

function typeList(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]) as string[];
  return types.map((name) => typeNames[name] ?? name).join(' or ');
}

function valueList(values: unknown): string {
  const all = values as readonly unknown[];
  const shown = all.slice(0, mostValues).map(showValue);
  const more = all.length - shown.length;
  if (more > 0) return `one of ${shown.join(', ')} and ${more} others`;
  return shown.length === 1 ? shown.join('') : `one of ${shown.join(', ')}`;
}

function positions({ i, j }: Record<string, unknown>): string {
  const [first, second] = [Number(i), Number(j)].sort((left, right) => left - right);
  return `[${first}] and [${second}]`;
}

function showValue(value: unknown): string {
  const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
