import { isJsonObject, type JsonSchema } from '../../base/json';
import type { RunnerSpec } from '../../protocol/spec';
import { expectedKeyword } from '../../base/check-shape';
import { deepFreeze } from '../../base/plain-json';
import { specSchemas } from '../runner-spec-schema';
import { fullText, id, list, model, object, runnerRef, text, toolName } from '../schema-parts';
import { defaultKindKeyword, freeKeyword, valuesKeyword } from './format-keywords';

// The format of spec files: that of the runners' own specs, with what people write in place of what runs pin.

type Properties = { readonly [name: string]: JsonSchema };

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

const path = { type: 'string', minLength: 1, [expectedKeyword]: 'the path of a file' };
const textOrFile = {
  anyOf: [fullText, object({ path }, ['path'])],
  [expectedKeyword]: 'a text, or {path} of a file',
};

const modelText = { type: 'string', minLength: 1, [expectedKeyword]: 'the name of a model' };
const modelAsWritten = {
  anyOf: [modelText, structuredClone(model)],
  [expectedKeyword]: "'provider/model' or {provider, model}",
};

const runner = {
  anyOf: [
    id,
    object({ ref: id }, ['ref']),
    ref('agent'),
    ref('sequential'),
    ref('parallel'),
    ref('graph'),
  ],
  [defaultKindKeyword]: 'agent',
  [expectedKeyword]: 'the id of a runner, {ref: id}, or a runner',
};

const needsApproval = {
  enum: [true],
  [expectedKeyword]: 'true (a spec may ask for approval, never drop it)',
};

const tool = {
  anyOf: [toolName, object({ name: toolName, needsApproval }, ['name'])],
  [expectedKeyword]: 'the name of a tool, or {name, needsApproval: true}',
};

const callbacks = {
  anyOf: [id, object({ name: id, kind: { enum: ['logging'] } })],
  [expectedKeyword]: 'the name of callbacks, or {name}',
};

const freeSchema = {
  type: 'object',
  [freeKeyword]: true,
  [expectedKeyword]: 'a JSON Schema object',
};

const criterion = {
  anyOf: [
    object({ kind: { const: 'keyword' }, keyword: fullText }, ['kind', 'keyword']),
    object({ kind: kindOf('structured-output', 'structured_output'), schema: freeSchema }, [
      'kind',
    ]),
    object({ kind: { const: 'custom' }, name: id, session: list(text, 100) }, ['kind', 'name']),
    object(
      {
        kind: kindOf('max-iterations', 'max_iterations'),
        limit: { type: 'integer', minimum: 0 },
      },
      ['kind', 'limit'],
    ),
  ],
  [expectedKeyword]: 'a criterion: {kind: keyword, structured-output, custom or max-iterations, …}',
};

const inputTimeout = {
  anyOf: [fullText, { type: 'number' }],
  [expectedKeyword]: "a duration such as '90s', '15 minutes' or '3 days', or milliseconds",
};

function kindOf(kind: string, potatoName: string): JsonSchema {
  return { const: kind, [valuesKeyword]: { [potatoName]: kind } };
}

/** The same schema, with runners and models as people write them, and room for any members where a schema stands. */
function asWritten(schema: unknown): unknown {
  if (schema === runnerRef) return ref('runner');
  if (schema === model) return modelAsWritten;
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).map(([name, member]) => [name, asWritten(member)]);
  const written = Object.fromEntries(members) as JsonSchema;
  const isFree = schema.type === 'object' && schema.properties === undefined;
  return isFree ? { ...written, [freeKeyword]: true } : written;
}

function propertiesOf(kind: RunnerSpec['kind']): Properties {
  return asWritten(specSchemas[kind].properties) as Properties;
}

function agent(): JsonSchema {
  const {
    inputTimeoutMs: _,
    tools,
    callbacks: names,
    criteria,
    memory,
    ...rest
  } = propertiesOf('agent');
  const properties = {
    ...rest,
    provider: { type: 'string', minLength: 1, [expectedKeyword]: 'the name of a provider' },
    model: modelAsWritten,
    instructions: textOrFile,
    tools: { ...tools, items: tool },
    criteria: { ...criteria, items: criterion },
    callbacks: { ...names, items: callbacks },
    inputTimeout,
    memory: memory === undefined ? {} : memoryOf(memory),
  };
  return { ...object(properties, ['id']), [expectedKeyword]: 'an agent: {id, model, …}' };
}

/** Which members stand with which kind is told by the problems of the spec. */
function memoryOf({ if: _if, then: _then, else: _else, ...memory }: JsonSchema): JsonSchema {
  const properties = memory.properties as Properties;
  const kind = { ...properties.kind, [valuesKeyword]: { in_memory: 'full' } };
  return { ...memory, properties: { ...properties, kind } };
}

function orchestration(kind: 'sequential' | 'parallel' | 'graph'): JsonSchema {
  const { params: _, tasks, ...properties } = propertiesOf(kind);
  const required = specSchemas[kind].required as string[];
  return object(
    {
      ...properties,
      kind: kind === 'graph' ? kindOf(kind, 'workflow') : { const: kind },
      ...(tasks === undefined ? {} : { tasks: tasksOf(tasks) }),
    },
    required,
  );
}

function tasksOf(tasks: JsonSchema): JsonSchema {
  const task = tasks.items as JsonSchema;
  const properties = { ...(task.properties as Properties), prompt: textOrFile };
  return { ...tasks, items: { ...task, properties } };
}

/** Kinds of runners, by name, and what stands in more than one place. */
export const formatDefinitions: JsonSchema = deepFreeze({
  runner,
  agent: agent(),
  sequential: orchestration('sequential'),
  parallel: orchestration('parallel'),
  graph: orchestration('graph'),
});

/** A file, or one document of it. */
export const formatSchema: JsonSchema = deepFreeze({
  ...object({
    $schema: text,
    agents: list(ref('agent'), 10_000),
    workflows: list(
      {
        anyOf: [ref('sequential'), ref('parallel'), ref('graph')],
        [expectedKeyword]: 'a runner: {kind: sequential, parallel or graph, id, …}',
      },
      10_000,
    ),
  }),
  [expectedKeyword]: 'an object with agents, workflows or both',
});

/** A prompt in a file of its own, as potato-agent has them. */
export const promptFileSchema: JsonSchema = deepFreeze(
  object(
    {
      model: modelText,
      provider: { type: 'string', minLength: 1, [expectedKeyword]: 'the name of a provider' },
      messages: {
        anyOf: [fullText, { ...list(fullText, 100), minItems: 1 }],
        [expectedKeyword]: 'a text, or a list of texts',
      },
      systemInstructions: {
        anyOf: [fullText, list(fullText, 100)],
        [expectedKeyword]: 'a text, or a list of texts',
      },
      settings: { type: 'object', [freeKeyword]: true },
      responseFormat: freeSchema,
    },
    ['messages'],
  ),
);
