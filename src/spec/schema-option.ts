import { isJsonObject, type JsonSchema } from '../base/json';
import { toPlainJson } from '../define/plain-json';
import { describeValue, joinPath, type Problem } from '../base/problem';
import { isStandardSchema } from './standard-schema';
import { toJsonSchema } from './to-json-schema';

export type SchemaOption =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly problem: Problem };

/** The JSON Schema of an option that takes a Standard Schema or a JSON Schema. */
export function parseSchemaOption(value: unknown, path: string): SchemaOption {
  if (isStandardSchema(value)) {
    const emitted = toJsonSchema(value);
    return emitted.ok ? emitted : { ok: false, problem: { path, message: emitted.message } };
  }
  const message = `must be a Standard Schema (zod, valibot, …) or a JSON Schema object, not ${describeValue(value)}`;
  if (!isJsonObject(value)) return { ok: false, problem: { path, message } };
  const plain = toPlainJson(value);
  if (!plain.ok) {
    const problem = { path: joinPath(path, plain.problem.path), message: plain.problem.message };
    return { ok: false, problem };
  }
  return isJsonObject(plain.value)
    ? { ok: true, schema: plain.value }
    : { ok: false, problem: { path, message } };
}
