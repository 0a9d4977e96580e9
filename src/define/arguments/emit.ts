// Reads a user's schema, which is a Standard Schema or a JSON Schema. It makes the JSON Schema for the model, and the check of arguments.

import { createRequire } from 'node:module';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import {
  describeValue,
  errorText,
  formatPath,
  formatProblem,
  isJsonObject,
  type Json,
  type JsonSchema,
  type Problem,
  quote,
} from '../../base';
import { checkAgainst, forTools } from '../../core/schema/check-schema';
import { toolSchemaProblems } from '../../core/schema/schema-problem';
import { toPlainJson } from '../plain-json';
import { TookTooLong, withinTime } from './within-time';

/** A schema of zod, valibot, arktype or another library that implements standardschema.dev. */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** The type after validation, which the tool's code gets. */
export type OutputOf<Schema extends StandardSchema> = StandardSchemaV1.InferOutput<Schema>;

/** The type before validation, which the JSON Schema describes. */
export type InputOf<Schema extends StandardSchema> = StandardSchemaV1.InferInput<Schema>;

export type SchemaOption =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly problem: Problem };

export type ArgumentsCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export type ValidateArguments = (args: Json) => Promise<ArgumentsCheck>;

export type InputSchema = {
  readonly schema: JsonSchema;
  readonly validate: ValidateArguments;
  readonly problems: readonly Problem[];
};

/** The longest time to check one value. All other work of a worker waits for this thread. */
const checkMilliseconds = 500;
const tooLongToCheck = `took more than ${checkMilliseconds} ms to check: send a smaller or simpler value`;

const advice = 'pass a JSON Schema object instead';
const load = createRequire(__filename);

export function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isHolder) return false;
  const standard = (value as { readonly '~standard'?: { readonly validate?: unknown } })[
    '~standard'
  ];
  return typeof standard?.validate === 'function';
}

/** The JSON Schema of a tool's `inputSchema`, and the check of what a model sends. Paths of problems start within the schema. */
export function parseInputSchema(input: unknown): InputSchema {
  const option = parseSchemaOption(input);
  if (!option.ok) return refused(option.problem);
  const { schema } = option;
  if (schema.type !== 'object') {
    // Providers take only objects as arguments.
    const found =
      typeof schema.type === 'string' ? `not ${quote(schema.type)}` : 'which is missing';
    const message = `must describe an object: its top level needs type 'object', ${found}; put other values into a property`;
    return refused({ path: '', message });
  }
  if (isStandardSchema(input)) {
    return { schema, validate: validateWithStandardSchema(input), problems: [] };
  }
  const problems = toolSchemaProblems(schema);
  return problems.length > 0
    ? refused(...problems)
    : { schema, validate: validateWith(schema), problems: [] };
}

function refused(...problems: Problem[]): InputSchema {
  return { schema: {}, validate: async () => ({ ok: false, problems }), problems };
}

/** The JSON Schema of an option that takes a Standard Schema or a JSON Schema. */
export function parseSchemaOption(value: unknown): SchemaOption {
  if (isStandardSchema(value)) return emit(value);
  if (!isJsonObject(value)) {
    const message = `must be a Standard Schema (zod, valibot, …) or a JSON Schema object, not ${describeValue(value)}`;
    return { ok: false, problem: { path: '', message } };
  }
  const plain = toPlainJson(value);
  return plain.ok ? { ok: true, schema: plain.value as JsonSchema } : plain;
}

/** What a Standard Schema accepts, as JSON Schema. */
function emit(schema: StandardSchema): SchemaOption {
  const failed = (message: string): SchemaOption => ({ ok: false, problem: { path: '', message } });
  const emitter = emitterOf(schema);
  if (emitter === undefined) return failed(noEmitter(schema['~standard'].vendor));
  let emitted: unknown;
  try {
    emitted = emitter();
  } catch (error) {
    return failed(`cannot be written as JSON Schema (${errorText(error)}): ${advice}`);
  }
  if (!isJsonObject(emitted)) return failed(`emits no JSON Schema object: ${advice}`);
  // zod puts its own `~standard` entry, with functions, on what it emits.
  const plain = toPlainJson({ ...emitted, '~standard': undefined });
  if (!plain.ok) return failed(`emits no JSON Schema: ${formatProblem(plain.problem)}`);
  const { $schema, ...rest } = plain.value as JsonSchema;
  leaveOutLookAround(rest);
  const isDefault = $schema === 'https://json-schema.org/draft/2020-12/schema';
  return { ok: true, schema: isDefault || $schema === undefined ? rest : { $schema, ...rest } };
}

function emitterOf(schema: StandardSchema): (() => unknown) | undefined {
  const standard: StandardSchema['~standard'] & Partial<StandardJSONSchemaV1.Props> =
    schema['~standard'];
  const { jsonSchema } = standard;
  if (jsonSchema !== undefined) return () => jsonSchema.input({ target: 'draft-2020-12' });
  const own = schema as { toJSONSchema?: (options: object) => unknown; _zod?: unknown };
  if (typeof own.toJSONSchema === 'function') return () => own.toJSONSchema?.({ io: 'input' });
  if (standard.vendor !== 'zod' || own._zod === undefined) return undefined;
  // zod before 4.2 emits JSON Schema only through a function of its package.
  return () => (load('zod/v4/core') as ZodCore).toJSONSchema(schema, { io: 'input' });
}

type ZodCore = { readonly toJSONSchema: (schema: unknown, options: object) => unknown };

function noEmitter(vendor: string): string {
  if (vendor === 'zod') {
    return `is a schema of zod 3, which cannot emit JSON Schema: use zod 4 (import { z } from 'zod/v4') or ${advice}`;
  }
  if (vendor === 'valibot') {
    return `is a valibot schema that cannot emit JSON Schema: wrap it with toStandardJsonSchema of @valibot/to-json-schema, or ${advice}`;
  }
  return `is a ${vendor} schema that cannot emit JSON Schema: ${advice}`;
}

/** zod writes such patterns for some formats. Providers refuse them, and nothing is lost, because `format` means the same. */
function leaveOutLookAround(value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  const { format, pattern } = Array.isArray(value) ? {} : value;
  const isFormat = typeof format === 'string' && typeof pattern === 'string';
  if (isFormat && /\(\?<?[=!]/.test(pattern)) delete (value as JsonSchema)['pattern'];
  Object.values(value).forEach(leaveOutLookAround);
}

function validateWith(schema: JsonSchema): ValidateArguments {
  return async (args) => {
    const problems = checkAgainst(schema, args, forTools);
    return problems.length === 0 ? { ok: true, value: args } : { ok: false, problems };
  };
}

/**
 * The value is the result of the schema: with defaults and transforms. The schema has half a second until it first awaits. Otherwise a
 * pattern that tries many ways would stop the worker.
 */
function validateWithStandardSchema(schema: StandardSchema): ValidateArguments {
  return async (args) => {
    try {
      const result = await withinTime(checkMilliseconds, () => schema['~standard'].validate(args));
      if (result.issues === undefined) return { ok: true, value: result.value };
      return { ok: false, problems: result.issues.map(toProblem) };
    } catch (error) {
      const message = error instanceof TookTooLong ? tooLongToCheck : errorText(error);
      return { ok: false, problems: [{ path: '', message }] };
    }
  };
}

function toProblem({ path = [], message }: StandardSchemaV1.Issue): Problem {
  const segments = path.map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? key : String(key);
  });
  return { path: formatPath(segments), message };
}
