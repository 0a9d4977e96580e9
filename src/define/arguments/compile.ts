// The JSON Schemas of users and of MCP servers: compiled once, and checked in bounded time, however hostile schema and value are.

import { createRequire } from 'node:module';
import type { Ajv, FuncKeywordDefinition, Options, ValidateFunction } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { canonicalJson, isJsonObject, type Json, type JsonSchema } from '../../base/json';
import { describeValue, errorText, type Problem } from '../../base/problem';
import { specError } from '../problems/problem';
import {
  affordProblems,
  checkMilliseconds,
  compileMilliseconds,
  tooLongToCheck,
  TookTooLong,
  withinTime,
} from './bounds';
import { toProblems } from './messages';
import { loadPatternEngine, Patterns } from './patterns';

/** The problems of a value; empty when it matches the schema. */
export type SchemaCheck = (value: unknown) => Problem[];

export type CompiledSchema =
  | { readonly ok: true; readonly check: SchemaCheck }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type SchemaDraft = '2020-12' | '07';
type Modules = { readonly Validator: typeof Ajv; readonly addFormats: FormatsPlugin };

const tooLongToCompile = 'takes more than three seconds to compile: make it smaller';

const drafts: Readonly<Record<string, SchemaDraft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': '07',
  'http://json-schema.org/draft-06/schema': '07',
};

const metaSchemas: Readonly<Record<SchemaDraft, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '07': 'http://json-schema.org/draft-07/schema',
};

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // What others refer to is compiled once, and as it stands: that is three times as fast.
  inlineRefs: false,
  code: { optimize: false },
};

/** What the validator's code takes, for each byte of the schema and in any case. */
const compiledFactor = 64;
const compiledOverhead = 200_000;

/** By the schema's text: a pinned definition is read anew for each call, and the schemas in it are compiled once. */
const compiled = new LRUCache<string, CompiledSchema>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (_schema, text) => compiledOverhead + compiledFactor * text.length,
});

const load = createRequire(__filename);
const metaValidators = new Map<SchemaDraft, ValidateFunction>();

/** A bad schema is a `SpecError` about `subject`. */
export function compileSchema(schema: Json, subject = 'The JSON Schema'): SchemaCheck {
  const result = tryCompileSchema(schema);
  if (!result.ok) throw specError(subject, result.problems);
  return result.check;
}

/** Compiles a JSON Schema (2020-12, or draft-07 where `$schema` says so). */
export function tryCompileSchema(schema: Json): CompiledSchema {
  if (!isJsonObject(schema)) return failed('', 'must be a JSON Schema object');
  const problems = affordProblems(schema);
  if (problems.length > 0) return { ok: false, problems };
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (text.includes('"pattern')) loadPatternEngine();
  try {
    const result = compile(schema);
    compiled.set(text, result);
    return result;
  } catch (error) {
    // Not kept: the machine may have been busy.
    if (error instanceof TookTooLong) return failed('', tooLongToCompile);
    throw error;
  }
}

function compile(schema: JsonSchema): CompiledSchema {
  const draft = draftOf(schema);
  if (draft === undefined) {
    const found = describeValue(schema.$schema);
    return failed('$schema', `must name draft 2020-12 or draft-07, not ${found}`);
  }
  if (schema.$async === true) return failed('$async', 'is not allowed');
  const meta = metaValidator(draft);
  if (!withinTime(compileMilliseconds, () => meta(schema))) {
    return { ok: false, problems: toProblems(meta.errors ?? []) };
  }
  return compileChecked(schema, draft);
}

function compileChecked(schema: JsonSchema, draft: SchemaDraft): CompiledSchema {
  const modules = modulesFor(draft);
  try {
    return withinTime(compileMilliseconds, () => {
      const patterns = new Patterns(schema);
      const validate = createValidator(modules, patterns).compile(schema);
      const { problems } = patterns;
      return problems.length > 0
        ? { ok: false, problems }
        : { ok: true, check: toCheck(validate, patterns, JSON.stringify(schema)) };
    });
  } catch (error) {
    if (error instanceof TookTooLong) throw error;
    // A reference to nothing, mostly.
    return failed('', errorText(error));
  }
}

/** What takes too long is refused: a schema that tries many ways through a deep value, for example. */
function toCheck(validate: ValidateFunction, patterns: Patterns, schemaText: string): SchemaCheck {
  const check = (value: unknown): Problem[] => {
    patterns.forget();
    return validate(value) ? [] : toProblems(validate.errors ?? []);
  };
  return (value) => {
    try {
      if (isShort(schemaText, value)) return check(value);
      return withinTime(checkMilliseconds, () => check(value));
    } catch (error) {
      // Else a schema that refers to itself without end, or a value too deep to follow.
      const message = error instanceof TookTooLong ? tooLongToCheck : errorText(error);
      return [{ path: '', message }];
    } finally {
      validate.errors = null;
      patterns.forget();
    }
  };
}

/** Refers to another schema, or has a regular expression. */
const unbounded = /"(?:\$ref|\$dynamicRef|format|pattern|patternProperties)":/;

/** Bytes of a schema times bytes of a value. So much takes a few milliseconds. */
const littleWork = 250_000;

/**
 * Whether a check needs no limit of its time, which takes a fifth of a millisecond to set. Without references, each part of a schema
 * meets each part of a value once at most.
 */
function isShort(schemaText: string, value: unknown): boolean {
  if (schemaText.length > littleWork || unbounded.test(schemaText)) return false;
  try {
    return schemaText.length * JSON.stringify(value).length <= littleWork;
  } catch {
    // No JSON, or too deep for it.
    return false;
  }
}

function draftOf({ $schema }: JsonSchema): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12';
  return typeof $schema === 'string' ? drafts[$schema.replace(/#$/, '')] : undefined;
}

function failed(path: string, message: string): CompiledSchema {
  return { ok: false, problems: [{ path, message }] };
}

/** What says whether a schema is one. */
function metaValidator(draft: SchemaDraft): ValidateFunction {
  const known = metaValidators.get(draft);
  if (known !== undefined) return known;
  const { Validator } = modulesFor(draft);
  const validate = new Validator(options).getSchema(metaSchemas[draft]);
  if (validate === undefined) throw new TypeError(`the validator does not know draft ${draft}`);
  metaValidators.set(draft, validate);
  return validate;
}

/** For one schema: a validator keeps what it has seen and refuses a second `$id`. */
function createValidator({ Validator, addFormats }: Modules, { regExp }: Patterns): Ajv {
  const code = { ...options.code, regExp };
  const validator = new Validator({ ...options, code, meta: false, validateSchema: false });
  return addFormats(validator.removeKeyword('uniqueItems').addKeyword(uniqueItems));
}

type KeywordCheck = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>;

/** The validator's own compares each item with each other one, and calls a member `valueOf` of an item. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (isUnique: boolean) => {
    const validate: KeywordCheck = (items: readonly Json[]) => {
      const twins = isUnique ? twinsIn(items) : undefined;
      if (twins) validate.errors = [{ keyword: 'uniqueItems', params: twins }];
      return twins === undefined;
    };
    return validate;
  },
};

function twinsIn(items: readonly Json[]): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<string, number>();
  for (const [j, item] of items.entries()) {
    const text = canonicalJson(item);
    const i = seen.get(text);
    if (i !== undefined) return { i, j };
    seen.set(text, j);
  }
  return undefined;
}

/** Loaded with the first schema: programs without JSON Schemas of their own never pay for it. */
function modulesFor(draft: SchemaDraft): Modules {
  const { default: addFormats } = load('ajv-formats') as { readonly default: FormatsPlugin };
  if (draft === '07') {
    const { Ajv: Validator } = load('ajv') as { readonly Ajv: typeof Ajv };
    return { Validator, addFormats };
  }
  const { Ajv2020 } = load('ajv/dist/2020') as { readonly Ajv2020: typeof Ajv };
  return { Validator: Ajv2020, addFormats };
}
