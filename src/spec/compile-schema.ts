import type { ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json, type JsonSchema } from '../base/json';
import { describeValue, type Problem } from '../base/problem';
import { specError } from '../define/problems/problem';
import { toProblems } from './schema-messages';
import { patternProblems } from './schema-patterns';
import { sizeProblems } from './schema-size';
import { createValidate, metaErrors, type Draft } from './schema-validator';
import { checkMilliseconds, TookTooLong, tooLongToCheck, withinTime } from './within-time';

/** The problems of a value; none when it matches the schema. */
export type SchemaCheck = (value: unknown) => Problem[];

const drafts: Readonly<Record<string, Draft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': '07',
  'http://json-schema.org/draft-06/schema': '07',
};

/** Compiling so much takes half a second, and nothing else runs meanwhile. */
const mostBytes = 128 * 1024;

/** What the validator's code takes, for each byte of the schema and in any case. */
const compiledFactor = 64;
const compiledOverhead = 200_000;

/** By the schema's text: a pinned definition is read anew for each call, and the schemas in it are compiled once. */
const compiled = new LRUCache<string, CompiledSchema>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (_schema, text) => compiledOverhead + compiledFactor * text.length,
});

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
  const unaffordable = affordProblems(schema);
  if (unaffordable.length > 0) return failed(...unaffordable);
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  try {
    const result = compile(schema);
    compiled.set(text, result);
    return result;
  } catch (error) {
    // Not kept: the machine may have been busy.
    if (error instanceof TookTooLong) return failed({ path: '', message: tooLongToCompile });
    throw error;
  }
}

/** Why nobody can afford to check against the schema, however right it is. Takes a moment: nothing is compiled. */
export function affordProblems(schema: JsonSchema): Problem[] {
  const problems = sizeProblems(schema);
  if (problems.length > 0) return problems;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes <= mostBytes) return [];
  const message = `must be at most ${mostBytes / 1024} KiB, not ${Math.ceil(bytes / 1024)}`;
  return [{ path: '', message }];
}

function compile(schema: JsonSchema): CompiledSchema {
  const draft = draftOf(schema);
  if (draft === undefined) return failed(unknownDraft(schema));
  const problems = patternProblems(schema);
  if (problems.length > 0) return failed(...problems);
  if (schema.$async === true) return failed({ path: '$async', message: 'is not allowed' });
  try {
    const errors = metaErrors(schema, draft);
    if (errors.length > 0) return failed(...toProblems(errors));
    return { ok: true, check: toCheck(createValidate(schema, draft)) };
  } catch (error) {
    if (error instanceof TookTooLong) throw error;
    // A reference to nothing, mostly.
    return failed({ path: '', message: error instanceof Error ? error.message : String(error) });
  }
}

const tooLongToCompile = 'takes more than three seconds to compile: make it smaller';

/** What takes too long is refused: a slow pattern, or a schema that tries many ways through a deep value. */
function toCheck(validate: ValidateFunction): SchemaCheck {
  return (value) => {
    try {
      return withinTime(checkMilliseconds, () =>
        validate(value) ? [] : toProblems(validate.errors ?? []),
      );
    } catch (error) {
      if (error instanceof TookTooLong) return [{ path: '', message: tooLongToCheck }];
      // A schema that refers to itself without end, or a value too deep to follow.
      return [{ path: '', message: error instanceof Error ? error.message : String(error) }];
    } finally {
      validate.errors = null;
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
