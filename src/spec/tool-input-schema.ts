import { isJsonObject, type JsonSchema } from '../base/json';
import { tryCompileSchema } from './compile-schema';
import { toPlainJson } from '../define/plain-json';
import { describeValue, joinPath, quote, type Problem } from '../base/problem';
import { isStandardSchema, type StandardSchema } from './standard-schema';
import { toJsonSchema } from './to-json-schema';
import {
  validateWithJsonSchema,
  validateWithStandardSchema,
  type ValidateArguments,
} from './validate-arguments';

export type InputSchema = {
  readonly schema: JsonSchema;
  readonly validate: ValidateArguments;
  readonly problems: readonly Problem[];
};

const place = 'inputSchema';

/** The schema a model is shown and the check of what it sends. */
export function parseInputSchema(input: unknown): InputSchema {
  return isStandardSchema(input) ? parseStandardSchema(input) : parseJsonSchema(input);
}

function parseStandardSchema(input: StandardSchema): InputSchema {
  const emitted = toJsonSchema(input);
  if (!emitted.ok) return refused({ path: place, message: emitted.message });
  const problems = objectProblems(emitted.schema);
  return { schema: emitted.schema, validate: validateWithStandardSchema(input), problems };
}

function parseJsonSchema(input: unknown): InputSchema {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const message = `must be a Standard Schema (zod, valibot, …) or a JSON Schema object, not ${describeValue(input)}`;
    return refused({ path: place, message });
  }
  const plain = toPlainJson(input);
  if (!plain.ok) return refused(at(plain.problem));
  const schema = plain.value;
  if (!isJsonObject(schema)) return refused({ path: place, message: 'must be a JSON object' });
  const problems = objectProblems(schema);
  if (problems.length > 0) return refused(...problems);
  const compiled = tryCompileSchema(schema);
  if (!compiled.ok) return refused(...compiled.problems.map(at));
  return { schema, validate: validateWithJsonSchema(compiled.check), problems: [] };
}

/** Providers take only objects as arguments. */
function objectProblems(schema: JsonSchema): Problem[] {
  if (schema.type === 'object') return [];
  const found = typeof schema.type === 'string' ? `not ${quote(schema.type)}` : 'which is missing';
  const message = `must describe an object: its top level needs type 'object', ${found}; put other values into a property`;
  return [{ path: place, message }];
}

function at({ path, message }: Problem): Problem {
  return { path: joinPath(place, path), message };
}

function refused(...problems: Problem[]): InputSchema {
  const validate = validateWithJsonSchema(() => [...problems]);
  return { schema: {}, validate, problems };
}
