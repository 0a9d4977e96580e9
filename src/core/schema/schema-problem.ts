// Whether a schema that anybody wrote can be used to check answers. Pure.
//
// 1. Every schema that passes can be checked in bounded steps, whatever the value is.
// 2. A keyword that `checkAgainst` cannot check is refused, so that no schema promises more than the run keeps. Unknown keywords are
//    remarks, as JSON Schema says.

import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import { describeValue, formatPath, type Path, type Problem, quote } from '../../base/problem';
import { utf8Length } from '../../base/text';
import { checkJson, violationText } from '../session';
import { compilePattern } from './pattern';
import { pointedAt } from './pointer';

/** Keywords and names on the way to a schema, and schemas for one place of a value. */
const mostKeys = 100;

type Kind =
  | 'schema'
  | 'schemas'
  | 'schemaOrSchemas'
  | 'named'
  | 'needs'
  | 'number'
  | 'count'
  | 'texts'
  | 'boolean';

/** What the value of each keyword must be. */
const keywords: { readonly [keyword: string]: Kind } = {
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  prefixItems: 'schemas',
  items: 'schemaOrSchemas',
  additionalItems: 'schema',
  contains: 'schema',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  additionalProperties: 'schema',
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

/** Applied to the same value: through them, a schema must not come back to itself. */
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

const refused: { readonly [keyword: string]: string } = {
  unevaluatedProperties: 'use additionalProperties',
  unevaluatedItems: 'use items',
  $dynamicRef: 'use $ref',
  $recursiveRef: 'use $ref',
};

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** The first reason why a schema cannot be used, or undefined. `most`: bytes of JSON. */
export function schemaProblem(schema: unknown, most: number): Problem | undefined {
  const problem = (message: string): Problem => ({ path: '', message });
  if (!isJsonObject(schema)) return problem('must be a JSON Schema: a JSON object');
  const violation = checkJson(schema);
  if (violation !== undefined) return problem(`is not JSON${violationText(violation)}`);
  const bytes = utf8Length(JSON.stringify(schema));
  if (bytes > most) return problem(`has ${bytes} bytes of JSON; at most ${most} are taken`);
  return new Walk(schema).problemIn(schema, []);
}

class Walk {
  readonly #root: JsonObject;
  readonly #seen = new Set<Json>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  problemIn(schema: Json | undefined, path: Path): Problem | undefined {
    const problem = (message: string): Problem => ({ path: formatPath(path), message });
    if (typeof schema === 'boolean') return undefined;
    if (!isJsonObject(schema)) return problem('must be a schema: a JSON object, true or false');
    if (path.length > mostKeys) return problem('is nested too deeply');
    if (this.#returns(schema, [])) return problem('refers to itself without end');
    for (const [keyword, value] of Object.entries(schema)) {
      const found = this.#problemOf(keyword, value, [...path, keyword]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #problemOf(keyword: string, value: Json, path: Path): Problem | undefined {
    const message = messageOf(keyword, value) ?? this.#refProblem(keyword, value);
    if (message !== undefined) return { path: formatPath(path), message };
    return first(this.#inside(keyword, value), ([key, schema]) =>
      this.problemIn(schema, [...path, ...key]),
    );
  }

  /** The schemas in the value of a keyword, with the way to each. */
  #inside(keyword: string, value: Json): readonly (readonly [Path, Json])[] {
    const kind = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (kind === 'schema') return [[[], value]];
    if (kind === 'schemaOrSchemas' && !Array.isArray(value)) return [[[], value]];
    if (kind === 'schemas' || kind === 'schemaOrSchemas')
      return (value as Json[]).map((schema, index) => [[index], schema]);
    if (kind !== 'named' && kind !== 'needs') return [];
    return Object.entries(value as JsonObject)
      .filter(([, schema]) => kind === 'named' || !Array.isArray(schema))
      .map(([name, schema]) => [[name], schema]);
  }

  #refProblem(keyword: string, value: Json): string | undefined {
    if (keyword !== '$ref') return undefined;
    if (typeof value !== 'string') return 'must be a text';
    const target = pointedAt(this.#root, value);
    if (isJsonObject(target) || typeof target === 'boolean') return undefined;
    return `${quote(value)} is not in this schema: refer to a part of it, such as '#/$defs/name'`;
  }

  /** Whether a schema comes back to itself without going into the value. */
  #returns(schema: Json | undefined, above: readonly Json[]): boolean {
    if (!isJsonObject(schema)) return false;
    if (above.includes(schema) || above.length > mostKeys) return true;
    if (this.#seen.has(schema)) return false;
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? [pointedAt(this.#root, $ref)] : [];
    const applied = inPlace
      .filter((keyword) => Object.hasOwn(schema, keyword))
      .flatMap((keyword) => appliedBy(keyword, schema[keyword]));
    const isLoop = [...target, ...applied].some((next) => this.#returns(next, [...above, schema]));
    if (!isLoop) this.#seen.add(schema);
    return isLoop;
  }
}

function appliedBy(keyword: string, value: Json | undefined): readonly Json[] {
  const isNamed = keyword === 'dependentSchemas' || keyword === 'dependencies';
  if (isNamed) return isJsonObject(value) ? Object.values(value) : [];
  return Array.isArray(value) ? value : [value ?? null];
}

function messageOf(keyword: string, value: Json): string | undefined {
  if (Object.hasOwn(refused, keyword)) return `is not checked here: ${refused[keyword]}`;
  if (keyword === 'type') return typeMessage(value);
  if (keyword === 'enum')
    return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of values';
  if (keyword === 'multipleOf')
    return typeof value === 'number' && value > 0 ? undefined : 'must be a number over 0';
  if (keyword === 'pattern') return patternMessage(value);
  return Object.hasOwn(keywords, keyword)
    ? shapeMessage(keywords[keyword], keyword, value)
    : undefined;
}

function typeMessage(value: Json): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  if (names.length > 0 && names.every((name) => types.some((type) => type === name)))
    return undefined;
  return `must be one of ${types.join(', ')}, or a list of them, not ${describeValue(value)}`;
}

function patternMessage(source: Json): string | undefined {
  if (typeof source !== 'string') return 'must be a text';
  const compiled = compilePattern(source);
  return compiled.ok ? undefined : `${compiled.problem}: ${quote(source)}`;
}

const isCount = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTexts = (value: Json): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const shapes: Readonly<Record<Kind, readonly [is: (value: Json) => boolean, message: string]>> = {
  schema: [() => true, ''],
  schemas: [(value) => Array.isArray(value) && value.length > 0, 'must be a list of schemas'],
  schemaOrSchemas: [() => true, ''],
  named: [isJsonObject, 'must be an object of schemas'],
  needs: [
    (value) =>
      isJsonObject(value) &&
      Object.values(value).every((need) => !Array.isArray(need) || isTexts(need)),
    'must be an object of lists of names, or of schemas',
  ],
  number: [(value) => typeof value === 'number', 'must be a number'],
  count: [isCount, 'must be a whole number, 0 or more'],
  texts: [isTexts, 'must be a list of texts'],
  boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
};

function shapeMessage(kind: Kind | undefined, keyword: string, value: Json): string | undefined {
  if (kind === undefined) return undefined;
  const [isRight, message] = shapes[kind];
  if (!isRight(value)) return message;
  if (keyword !== 'patternProperties') return undefined;
  return first(Object.keys(value as JsonObject), patternMessage);
}

function first<Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
