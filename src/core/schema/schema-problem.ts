// Checks whether a schema can be used. Anybody may have written it. Pure.
//
// 1. A check against a schema that passes takes bounded steps, for any value.
// 2. A keyword that `checkAgainst` cannot check is refused, so that no schema promises more than the check keeps. Unknown keywords are
//    remarks, as in JSON Schema.
// 3. The machine checks schemas of answers again when a run replays. So the rules for them must not change.

import {
  describeValue,
  formatPath,
  isJsonObject,
  type Json,
  type JsonObject,
  type Path,
  type Problem,
  quote,
  utf8Length,
} from '../../base';
import { limits } from '../../protocol/limits';
import { checkJson, violationText } from '../session';
import { appliedInPlace, type Kind, kindOf, schemasIn, schemasWithin } from './keywords';
import { parsePattern, type PatternBounds } from './pattern-parser';
import { References } from './references';

/** Keywords and names on the way to a schema, and schemas for one place of a value. */
const mostKeys = 100;
const mostProblems = 10;

type SchemaBounds = {
  readonly bytes: number;
  readonly pattern: PatternBounds;
  /** Schemas that apply to one value, with references written out. */
  readonly applied: number;
  readonly drafts?: readonly string[];
  /** Keywords that are refused, each with what to use instead. */
  readonly refused: { readonly [keyword: string]: string };
  readonly isReference: (text: string) => boolean;
};

const dynamic = { $dynamicRef: 'use $ref', $recursiveRef: 'use $ref' };

const answerBounds: SchemaBounds = {
  bytes: limits.answerSchema,
  pattern: { characters: 1_000, steps: 2_000 },
  applied: Infinity,
  refused: {
    unevaluatedProperties: 'use additionalProperties',
    unevaluatedItems: 'use items',
    ...dynamic,
  },
  isReference: (text) => /^#(?:\/|$)/.test(text),
};

const toolBounds: SchemaBounds = {
  bytes: limits.toolSchema,
  pattern: { characters: 4_000, steps: 10_000 },
  applied: 50_000,
  drafts: [
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/draft-07/schema',
    'http://json-schema.org/draft-06/schema',
  ],
  refused: dynamic,
  isReference: () => true,
};

/** The first reason why a schema cannot be used for answers, or undefined. */
export function answerSchemaProblem(schema: unknown): Problem | undefined {
  return problemsWithin(schema, answerBounds)[0];
}

/** The reasons why a schema cannot be used for arguments of tools and for outputs, at most ten. */
export function toolSchemaProblems(schema: unknown): readonly Problem[] {
  return problemsWithin(schema, toolBounds);
}

/** Why a check of a value against the schema would take too long. The schema may have other problems, too. */
export function costProblem(schema: JsonObject): Problem | undefined {
  return sizeProblem(schema, toolBounds) ?? new Walk(schema, toolBounds).costProblem();
}

function problemsWithin(schema: unknown, bounds: SchemaBounds): readonly Problem[] {
  const problem = (message: string): Problem[] => [{ path: '', message }];
  if (!isJsonObject(schema)) return problem('must be a JSON Schema: a JSON object');
  const violation = checkJson(schema);
  if (violation !== undefined) return problem(`is not JSON${violationText(violation)}`);
  const size = sizeProblem(schema, bounds);
  return size === undefined ? new Walk(schema, bounds).problems() : [size];
}

function sizeProblem(schema: JsonObject, { bytes: most }: SchemaBounds): Problem | undefined {
  const bytes = utf8Length(JSON.stringify(schema));
  if (bytes <= most) return undefined;
  return { path: '', message: `has ${bytes} bytes of JSON; at most ${most} are taken` };
}

class Walk {
  readonly #root: JsonObject;
  readonly #bounds: SchemaBounds;
  readonly #references: References;
  readonly #patterns = new Map<string, string | undefined>();
  readonly #applied = new Map<Json, number>();
  readonly #found: Problem[] = [];

  constructor(root: JsonObject, bounds: SchemaBounds) {
    this.#root = root;
    this.#bounds = bounds;
    this.#references = new References(root);
  }

  problems(): readonly Problem[] {
    this.#visit(this.#root, []);
    const cost = this.#found.length === 0 ? this.costProblem() : undefined;
    return cost === undefined ? this.#found : [cost];
  }

  costProblem(): Problem | undefined {
    const { applied } = this.#bounds;
    const counts = [...schemasWithin(this.#root)].map((schema) => this.#appliedBy(schema, []));
    if (!counts.some((count) => count > applied && count !== Infinity)) return undefined;
    const most = applied.toLocaleString('en');
    const message = `comes to more than ${most} parts with its references written out: refer to the same schema less often`;
    return { path: '', message };
  }

  #visit(schema: Json | undefined, path: Path): void {
    if (typeof schema === 'boolean') return;
    if (!isJsonObject(schema)) {
      this.#report(path, 'must be a schema: a JSON object, true or false');
    } else if (path.length > mostKeys) {
      this.#report(path, 'is nested too deeply');
    } else if (this.#appliedBy(schema, []) === Infinity) {
      this.#report(path, 'refers to itself without end');
    } else {
      for (const [keyword, value] of Object.entries(schema)) {
        if (this.#found.length >= mostProblems) return;
        this.#visitKeyword(keyword, value, [...path, keyword]);
      }
    }
  }

  #visitKeyword(keyword: string, value: Json, path: Path): void {
    const message = this.#messageOf(keyword, value);
    if (message !== undefined) return this.#report(path, message);
    if (keyword === 'patternProperties') this.#visitNames(value as JsonObject, path);
    for (const [key, schema] of schemasIn(keyword, value)) this.#visit(schema, [...path, ...key]);
  }

  #visitNames(named: JsonObject, path: Path): void {
    for (const name of Object.keys(named)) {
      const message = this.#patternMessage(name);
      if (message !== undefined) this.#report([...path, name], message);
    }
  }

  #report(path: Path, message: string): void {
    if (this.#found.length < mostProblems) this.#found.push({ path: formatPath(path), message });
  }

  #messageOf(keyword: string, value: Json): string | undefined {
    const { refused } = this.#bounds;
    if (Object.hasOwn(refused, keyword)) return `is not checked here: ${refused[keyword]}`;
    switch (keyword) {
      case '$schema':
        return this.#draftMessage(value);
      case '$ref':
        return this.#referenceMessage(value);
      case 'type':
        return typeMessage(value);
      case 'enum':
        return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of values';
      case 'multipleOf':
        return typeof value === 'number' && value > 0 ? undefined : 'must be a number over 0';
      case 'pattern':
        return typeof value === 'string' ? this.#patternMessage(value) : 'must be a text';
      default:
        return shapeMessage(kindOf(keyword), value);
    }
  }

  #draftMessage(value: Json): string | undefined {
    const { drafts } = this.#bounds;
    if (drafts === undefined) return undefined;
    if (typeof value === 'string' && drafts.includes(value.replace(/#$/, ''))) return undefined;
    return `must name draft 2020-12, 2019-09 or draft-07, not ${describeValue(value)}`;
  }

  #referenceMessage(value: Json): string | undefined {
    if (typeof value !== 'string') return 'must be a text';
    const target = this.#target(value);
    if (isJsonObject(target) || typeof target === 'boolean') return undefined;
    return `${quote(value)} is not in this schema: refer to a part of it, such as '#/$defs/name'`;
  }

  #target(reference: string): Json | undefined {
    return this.#bounds.isReference(reference) ? this.#references.target(reference) : undefined;
  }

  #patternMessage(source: string): string | undefined {
    if (!this.#patterns.has(source)) {
      const parsed = parsePattern(source, this.#bounds.pattern);
      this.#patterns.set(source, parsed.ok ? undefined : `${parsed.problem}: ${quote(source)}`);
    }
    return this.#patterns.get(source);
  }

  /**
   * How many schemas apply to one value, with references written out: twenty references to twice the one below make a million. Infinity if
   * a schema comes back to itself without going into the value.
   */
  #appliedBy(schema: Json | undefined, above: readonly Json[]): number {
    if (!isJsonObject(schema)) return 1;
    if (above.includes(schema) || above.length > mostKeys) return Infinity;
    const known = this.#applied.get(schema);
    if (known !== undefined) return known;
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? [this.#target($ref)] : [];
    const inside = [...above, schema];
    const count = [...target, ...appliedInPlace(schema)].reduce<number>(
      (sum, next) => sum + this.#appliedBy(next, inside),
      1,
    );
    this.#applied.set(schema, count);
    return count;
  }
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function typeMessage(value: Json): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  if (names.length > 0 && names.every((name) => types.some((type) => type === name)))
    return undefined;
  return `must be one of ${types.join(', ')}, or a list of them, not ${describeValue(value)}`;
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

function shapeMessage(kind: Kind | undefined, value: Json): string | undefined {
  if (kind === undefined) return undefined;
  const [isRight, message] = shapes[kind];
  return isRight(value) ? undefined : `${message}, not ${describeValue(value)}`;
}
