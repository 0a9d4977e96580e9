import type { JsonSchema } from '../base/json';
import { expectedKeyword } from '../base/check-shape';
import { limits } from '../protocol/limits';
import { memorySchema } from './memory-spec-schema';
import { mcpServerPattern, mcpServerRule } from './names';
import { deepFreeze } from '../base/plain-json';
import {
  budget,
  count,
  fullText,
  id,
  list,
  model,
  object,
  runnerRef,
  sessionPrecedence,
  text,
  toolName,
} from './schema-parts';

const mcpServer = { type: 'string', pattern: mcpServerPattern, [expectedKeyword]: mcpServerRule };
const anySchema = { type: 'object', [expectedKeyword]: 'a JSON Schema object' };

const criterion = {
  anyOf: [
    object({ kind: { const: 'keyword' }, keyword: fullText }, ['kind', 'keyword']),
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
  stop: list(fullText, 100),
  reasoning: object({
    effort: { enum: ['none', 'minimal', 'low', 'medium', 'high'] },
    budgetTokens: count(0),
  }),
  extra: { type: 'object' },
});

const onInputTimeout = {
  anyOf: [{ const: 'fail' }, object({ answer: fullText }, ['answer'])],
  [expectedKeyword]: "'fail' or {answer: 'text'}",
};

const subAgent = object(
  {
    name: toolName,
    description: fullText,
    runner: runnerRef,
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
      toolConcurrency: { ...count(1), maximum: limits.maxToolConcurrency },
      maxIterations: count(0),
      maxTurns: count(1),
      criteria: list(criterion, 100),
      callbacks: { ...list(id, 100), uniqueItems: true },
      toolChoice,
      output: object({ schema: anySchema }, ['schema']),
      settings,
      askUser: { enum: ['tool', 'marker', false, 'never'] },
      inputTimeoutMs: count(1),
      onInputTimeout,
      onInvalidToolCall: { enum: ['retry', 'fail', 'ignore'] },
      maxInvalidToolCalls: count(0),
      sessionPrecedence,
      budget,
      memory: memorySchema,
    },
    ['kind', 'id', 'model'],
  ),
);
