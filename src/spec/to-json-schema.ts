import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isJsonObject, type JsonSchema } from '../base/json';
import { toPlainJson } from '../define/plain-json';
import { formatProblem } from '../base/problem';
import type { StandardSchema } from './standard-schema';

type Emit = () => unknown;

export type EmittedSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly message: string };

const advice = 'pass a JSON Schema object instead';

/** The JSON Schema of what a Standard Schema accepts; `message` completes "inputSchema …". */
export function toJsonSchema(schema: StandardSchema): EmittedSchema {
  const emit = emitterOf(schema);
  if (emit === undefined) return { ok: false, message: noEmitter(schema) };
  let emitted: unknown;
  try {
    emitted = emit();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `cannot be written as JSON Schema (${why}): ${advice}` };
  }
  return asPlainSchema(emitted);
}

function emitterOf(schema: StandardSchema): Emit | undefined {
  const standard = schema['~standard'];
  const { jsonSchema } = standard;
  if (jsonSchema !== undefined) return () => jsonSchema.input({ target: 'draft-2020-12' });
  const own = schema as { toJSONSchema?: unknown; _zod?: unknown };
  if (typeof own.toJSONSchema === 'function') {
    const method = own.toJSONSchema as (options: object) => unknown;
    return () => method.call(schema, { io: 'input' });
  }
  return standard.vendor === 'zod' && own._zod !== undefined ? zodEmitter(schema) : undefined;
}

/** zod before 4.2 emits JSON Schema only through a function of its package, which is the user's dependency, not ours. */
function zodEmitter(schema: StandardSchema): Emit | undefined {
  for (const from of [__filename, join(process.cwd(), 'package.json')]) {
    try {
      const zod = createRequire(from)('zod/v4/core') as { toJSONSchema?: unknown };
      if (typeof zod.toJSONSchema === 'function') {
        const emit = zod.toJSONSchema as (schema: unknown, options: object) => unknown;
        return () => emit(schema, { io: 'input' });
      }
    } catch {
      // Not installed there: the next place may have it, and without any the caller says what to do.
    }
  }
  return undefined;
}

function noEmitter(schema: StandardSchema): string {
  const { vendor } = schema['~standard'];
  if (vendor === 'zod') {
    return `is a schema of zod 3, which cannot emit JSON Schema: use zod 4 (import { z } from 'zod/v4') or ${advice}`;
  }
  if (vendor === 'valibot') {
    return `is a valibot schema that cannot emit JSON Schema: wrap it with toStandardJsonSchema of @valibot/to-json-schema, or ${advice}`;
  }
  return `is a ${vendor} schema that cannot emit JSON Schema: ${advice}`;
}

function asPlainSchema(emitted: unknown): EmittedSchema {
  const plain = toPlainJson(withoutStandardKey(emitted));
  if (!plain.ok) {
    return { ok: false, message: `emits no JSON Schema: ${formatProblem(plain.problem)}` };
  }
  if (!isJsonObject(plain.value)) {
    return { ok: false, message: `emits no JSON Schema object: ${advice}` };
  }
  const { $schema, ...schema } = plain.value;
  const isDefault = $schema === 'https://json-schema.org/draft/2020-12/schema';
  return { ok: true, schema: isDefault || $schema === undefined ? schema : { $schema, ...schema } };
}

/** zod puts its own `~standard` entry, with functions, on what it emits. */
function withoutStandardKey(emitted: unknown): unknown {
  if (typeof emitted !== 'object' || emitted === null) return emitted;
  return Object.fromEntries(Object.entries(emitted).filter(([key]) => key !== '~standard'));
}
