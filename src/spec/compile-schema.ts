import { createRequire } from 'node:module';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import { isJsonObject, type Json, type JsonSchema } from '../protocol/json';
import { testBounded, toRegExp } from './pattern/bounded-pattern';
import { quote, specError, type Problem } from './problem';
import { toProblems } from './schema-messages';
import { patternProblems } from './schema-patterns';

/** The problems of a value; none when it matches the schema. */
export type SchemaCheck = (value: unknown) => Problem[];

type Draft = '2020-12' | '07';

const drafts: Readonly<Record<string, Draft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': '07',
  'http://json-schema.org/draft-06/schema': '07',
};

/** Pinned definitions are shared and never change: each schema in them is compiled once. */
const compiled = new WeakMap<JsonSchema, CompiledSchema>();
const load = createRequire(__filename);
const validators = new Map<Draft, Ajv>();

const regExp = Object.assign(
  (pattern: string) => {
    const expression = toRegExp(pattern);
    const test = (text: string) => testBounded(expression, text);
    // The validator tells patterns apart by their text.
    return { test, toString: () => expression.toString() };
  },
  { code: 'new RegExp' },
);

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  addUsedSchema: false,
  code: { regExp },
};

/** Loaded when the first schema is compiled: programs without JSON Schema of their own never pay for it. */
function validatorOf(draft: Draft): Ajv {
  const existing = validators.get(draft);
  if (existing !== undefined) return existing;
  const created = createValidator(draft);
  const { default: addFormats } = load('ajv-formats') as { readonly default: FormatsPlugin };
  addFormats(created);
  validators.set(draft, created);
  return created;
}

function createValidator(draft: Draft): Ajv {
  if (draft === '07') {
    const { Ajv: Draft07 } = load('ajv') as { readonly Ajv: typeof Ajv };
    return new Draft07(options);
  }
  const { Ajv2020 } = load('ajv/dist/2020') as { readonly Ajv2020: typeof Ajv };
  return new Ajv2020(options);
}

/** Compiles a JSON Schema (2020-12, or draft-07 where `$schema` says so). A bad one is a `SpecError` about `subject`. */
export function compileSchema(schema: Json, subject = 'The JSON Schema'): SchemaCheck {
  const result = tryCompileSchema(schema);
  if (!result.ok) throw specError(subject, result.problems);
  return result.check;
}

export type CompiledSchema =
  | { readonly ok: true; readonly check: SchemaCheck }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function tryCompileSchema(schema: Json): CompiledSchema {
  if (!isJsonObject(schema)) {
    return failed({ path: '', message: 'must be a JSON Schema object' });
  }
  const result = compiled.get(schema) ?? checkAndCompile(schema);
  compiled.set(schema, result);
  return result;
}

function checkAndCompile(schema: JsonSchema): CompiledSchema {
  const draft = draftOf(schema);
  if (draft === undefined) return failed(unknownDraft(schema));
  const problems = patternProblems(schema);
  if (problems.length > 0) return failed(...problems);
  return compile(schema, draft);
}

function compile(schema: JsonSchema, draft: Draft): CompiledSchema {
  const validator = validatorOf(draft);
  try {
    if (schema.$async === true) throw new Error('$async is not allowed');
    if (!validator.validateSchema(schema)) {
      return failed(...toProblems(validator.errors ?? []));
    }
    return { ok: true, check: toCheck(validator.compile(schema)) };
  } catch (error) {
    return failed({ path: '', message: error instanceof Error ? error.message : String(error) });
  } finally {
    // The validator would keep every schema it has ever seen.
    validator.removeSchema(schema);
  }
}

function toCheck(validate: ValidateFunction): SchemaCheck {
  return (value) => {
    try {
      return validate(value) ? [] : toProblems(validate.errors ?? []);
    } catch (error) {
      // A slow pattern, or a schema that refers to itself without end.
      return [{ path: '', message: error instanceof Error ? error.message : String(error) }];
    }
  };
}

function draftOf(schema: JsonSchema): Draft | undefined {
  if (schema.$schema === undefined) return '2020-12';
  return typeof schema.$schema === 'string' ? drafts[schema.$schema.replace(/#$/, '')] : undefined;
}

function unknownDraft(schema: JsonSchema): Problem {
  const named = typeof schema.$schema === 'string' ? quote(schema.$schema) : 'not a string';
  const message = `${named} is not supported: write the schema in draft 2020-12 or draft-07`;
  return { path: '$schema', message };
}

function failed(...problems: Problem[]): CompiledSchema {
  return { ok: false, problems };
}
