import type { ValidateFunction } from 'ajv';
import { isJsonObject, type Json, type JsonSchema } from '../protocol/json';
import { describeValue, specError, type Problem } from './problem';
import { withBoundedPatterns } from './pattern/bounded-pattern';
import { toProblems } from './schema-messages';
import { patternProblems } from './schema-patterns';
import { createValidator, metaErrors, type Draft } from './schema-validator';

/** The problems of a value; none when it matches the schema. */
export type SchemaCheck = (value: unknown) => Problem[];

const drafts: Readonly<Record<string, Draft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': '07',
  'http://json-schema.org/draft-06/schema': '07',
};

/** Compiling takes a second for each 100 KiB or so, and nothing else runs meanwhile. */
const mostBytes = 128 * 1024;

/** Pinned definitions are shared and never change: each schema in them is compiled once. */
const compiled = new WeakMap<JsonSchema, CompiledSchema>();

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
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > mostBytes) {
    const message = `must be at most ${mostBytes / 1024} KiB, not ${Math.ceil(bytes / 1024)}`;
    return failed({ path: '', message });
  }
  const draft = draftOf(schema);
  if (draft === undefined) return failed(unknownDraft(schema));
  const problems = patternProblems(schema);
  if (problems.length > 0) return failed(...problems);
  return compile(schema, draft);
}

function compile(schema: JsonSchema, draft: Draft): CompiledSchema {
  if (schema.$async === true) return failed({ path: '$async', message: 'is not allowed' });
  const errors = metaErrors(schema, draft);
  if (errors.length > 0) return failed(...toProblems(errors));
  try {
    return { ok: true, check: toCheck(createValidator(draft).compile(schema)) };
  } catch (error) {
    // A reference to nothing, mostly.
    return failed({ path: '', message: error instanceof Error ? error.message : String(error) });
  }
}

function toCheck(validate: ValidateFunction): SchemaCheck {
  return (value) => {
    try {
      const isValid = withBoundedPatterns(() => validate(value));
      return isValid ? [] : toProblems(validate.errors ?? []);
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
  const message = `must name draft 2020-12 or draft-07, not ${describeValue(schema.$schema)}`;
  return { path: '$schema', message };
}

function failed(...problems: Problem[]): CompiledSchema {
  return { ok: false, problems };
}
