import type { ErrorObject } from 'ajv';
import {
  describeValue,
  didYouMean,
  formatPath,
  formatProblem,
  joinPath,
  type Problem,
  quote,
} from '../../base/problem';

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

/** What a value must be, by keyword. */
const expectations: Readonly<Record<string, (params: ErrorObject['params']) => string>> = {
  type: ({ type }) =>
    [type]
      .flat()
      .map((name: string) => typeNames[name] ?? name)
      .join(' or '),
  enum: ({ allowedValues }) => listValues(allowedValues as readonly unknown[]),
  const: ({ allowedValue }) => showValue(allowedValue),
  minimum: ({ limit }) => `at least ${limit}`,
  maximum: ({ limit }) => `at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `less than ${limit}`,
  format: ({ format }) => `a valid ${format}`,
};

const counted: Readonly<Record<string, string>> = {
  Length: 'characters',
  Items: 'items',
  Properties: 'properties',
};

/** The validator's errors as problems that a person or a model can act on. */
export function toProblems(found: readonly ErrorObject[]): Problem[] {
  const errors = found.slice(0, mostErrors);
  const unions = errors.filter(isUnion);
  const problems = errors
    .filter((error) => !unions.some((union) => isWithin(error, union)))
    .map((error) => (isUnion(error) ? unionProblem(error, errors) : toProblem(error)));
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
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
  const branches = errors.filter((error) => isWithin(error, union) && !isUnion(error));
  const sayings = branches.map(({ instancePath, ...error }) => {
    const inside = instancePath.slice(union.instancePath.length);
    return formatProblem(toProblem({ ...error, instancePath: inside }));
  });
  const { path, message } = toProblem(union);
  const shown = [...new Set(sayings)].slice(0, mostSayings).join('; or ');
  return { path, message: shown === '' ? message : `fits no alternative: ${shown}` };
}

/** An error about a missing or unknown property is reported at that property. */
function toProblem(error: ErrorObject): Problem {
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params;
  const member: unknown = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const property = typeof member === 'string' ? [member] : [];
  const path = joinPath(pointerToPath(error.instancePath), formatPath(property));
  return { path, message: messageOf(error, property) };
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

function messageOf(error: ErrorObject, property: readonly string[]): string {
  const { keyword, params, data } = error;
  const expected = expectations[keyword]?.(params);
  if (expected !== undefined) return `must be ${expected}, not ${describeValue(data)}`;
  const [, bound, what = ''] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (bound !== undefined) return countMessage(bound === 'min', params.limit, counted[what]);
  switch (keyword) {
    case 'pattern':
      return `must match the pattern ${params.pattern}, not ${describeValue(data)}`;
    case 'required':
      return 'is required';
    case 'uniqueItems':
      return `must not hold an item twice, as at [${params.i}] and [${params.j}]`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `is not allowed${hint(error, property)}`;
    default:
      return error.message ?? 'is not valid';
  }
}

function countMessage(isLeast: boolean, limit: unknown, what = ''): string {
  if (isLeast && limit === 1) return 'must not be empty';
  return `must have at ${isLeast ? 'least' : 'most'} ${String(limit)} ${what}`;
}

function hint({ parentSchema }: ErrorObject, [property = '']: readonly string[]): string {
  const schema = parentSchema as { readonly properties?: object } | undefined;
  return didYouMean(property, Object.keys(schema?.properties ?? {}));
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, mostValues).map(showValue);
  const more = values.length - shown.length;
  if (values.length === 1) return shown.join('');
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} others` : ''}`;
}

function showValue(value: unknown): string {
  const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
