import type { JsonSchema } from '../protocol/json';
import { expectedKeyword } from './check-shape';
import {
  mcpServerPattern,
  mcpServerRule,
  runnerIdPattern,
  runnerIdRule,
  toolNamePattern,
  toolNameRule,
} from './names';
import { deepFreeze } from './plain-json';

const text = { type: 'string' };
const count = (minimum: number) => ({ type: 'integer', minimum });

const id = { type: 'string', pattern: runnerIdPattern, [expectedKeyword]: runnerIdRule };
const toolName = { type: 'string', pattern: toolNamePattern, [expectedKeyword]: toolNameRule };
const mcpServer = { type: 'string', pattern: mcpServerPattern, [expectedKeyword]: mcpServerRule };
const anySchema = { type: 'object', [expectedKeyword]: 'a JSON Schema object' };

function list(items: JsonSchema, maxItems: number): JsonSchema {
  return { type: 'array', items, maxItems };
}

function object(properties: JsonSchema, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const modelName = {
  type: 'string',
  pattern: '^\\S{1,200}$',
  [expectedKeyword]: 'a model name without spaces',
};

const model = {
  ...object({ provider: id, model: modelName }, ['provider', 'model']),
  [expectedKeyword]: "'provider/model' or {provider, model}",
};

const criterion = {
  anyOf: [
    object({ kind: { const: 'keyword' }, keyword: { type: 'string', minLength: 1 } }, [
      'kind',
      'keyword',
    ]),
    object({ kind: { const: 'structured-output' }, schema: anySchema }, ['kind']),
    object({ kind: { const: 'custom' }, name: id, session: list(text, 100) }, ['kind', 'name']),
  ],
  [expectedKeyword]:
    "{kind: 'keyword', keyword}, {kind: 'structured-output', schema?} or {kind: 'custom', name, session?}",
};

const toolChoice = {
  anyOf: [
    { enum: ['auto', 'none', 'required'] },
    object({ only: { ...list(toolName, 500), minItems: 1, uniqueItems: true } }, ['only']),
  ],
  [expectedKeyword]: "'auto', 'none', 'required' or {only: [tool names]}",
};

const settings = object({
  temperature: { type: 'number', minimum: 0, maximum: 2 },
  maxOutputTokens: count(1),
  stop: list({ type: 'string', minLength: 1 }, 100),
  reasoning: object({
    effort: { enum: ['none', 'minimal', 'low', 'medium', 'high'] },
    budgetTokens: count(0),
  }),
  extra: { type: 'object' },
});

const budget = object({
  maxTokens: count(1),
  maxCostUsd: { type: 'number', exclusiveMinimum: 0 },
  onExceeded: { enum: ['ask', 'fail'] },
});

const onInputTimeout = {
  anyOf: [{ const: 'fail' }, object({ answer: { type: 'string', minLength: 1 } }, ['answer'])],
  [expectedKeyword]: "'fail' or {answer: 'text'}",
};

const subAgent = object(
  {
    name: toolName,
    description: { type: 'string', minLength: 1 },
    runner: {
      anyOf: [id, { type: 'object' }],
      [expectedKeyword]: 'the id of an agent, or its spec',
    },
    policy: object({
      disallowSubAgentCalls: { type: 'boolean' },
      disallowedAgentIds: list(id, 500),
    }),
    onError: { enum: ['return', 'fail'] },
  },
  ['name', 'description', 'runner'],
);

/** An agent as data: the JSON Schema of `AgentSpec`. */
export const agentSpecSchema: JsonSchema = deepFreeze(
  object(
    {
      kind: { const: 'agent' },
      id,
      description: text,
      model,
      instructions: text,
      tools: { ...list(toolName, 500), uniqueItems: true },
      subAgents: list(subAgent, 100),
      mcpServers: { ...list(mcpServer, 50), uniqueItems: true },
      toolConcurrency: count(1),
      maxIterations: count(0),
      maxTurns: count(1),
      criteria: list(criterion, 100),
      callbacks: { ...list(id, 100), uniqueItems: true },
      toolChoice,
      output: object({ schema: anySchema }, ['schema']),
      settings,
      askUser: { enum: ['tool', 'marker', false] },
      inputTimeoutMs: count(1),
      onInputTimeout,
      onInvalidToolCall: { enum: ['retry', 'fail', 'ignore'] },
      maxInvalidToolCalls: count(0),
      sessionPrecedence: { enum: ['caller', 'store'] },
      budget,
    },
    ['kind', 'id', 'model'],
  ),
);
