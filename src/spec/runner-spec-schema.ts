import { isJsonObject, type Json, type JsonSchema } from '../base/json';
import type { RunnerSpec } from '../protocol/spec';
import { agentSpecSchema } from './agent-spec-schema';
import { graphSpecSchema } from './graph-spec-schema';
import { parallelSpecSchema } from './parallel-spec-schema';
import { deepFreeze } from '../base/plain-json';
import { id, model, runnerRef } from './schema-parts';
import { sequentialSpecSchema } from './sequential-spec-schema';

/** By kind; inline specs in them are any object. */
export const specSchemas: Readonly<Record<RunnerSpec['kind'], JsonSchema>> = {
  agent: agentSpecSchema,
  sequential: sequentialSpecSchema,
  parallel: parallelSpecSchema,
  graph: graphSpecSchema,
};

const runnerKinds = Object.keys(specSchemas) as RunnerSpec['kind'][];

const modelPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}/\\S{1,200}$';

/** A runner of any kind as data, with runners in it at any depth: the JSON Schema of `RunnerSpec`. */
export const runnerSpecSchema: JsonSchema = deepFreeze({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $ref: '#/$defs/runner',
  $defs: {
    runner: { anyOf: runnerKinds.map((kind) => ({ $ref: `#/$defs/${kind}` })) },
    ...Object.fromEntries(runnerKinds.map((kind) => [kind, asWritten(specSchemas[kind])])),
  },
});

/** As people write it: whole specs in the place of ids, and models as text. */
function asWritten(schema: Json): Json {
  if (schema === runnerRef) return { ...runnerRef, anyOf: [id, { $ref: '#/$defs/runner' }] };
  if (schema === model) return { anyOf: [model, { type: 'string', pattern: modelPattern }] };
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [key, asWritten(member)]),
  );
}
