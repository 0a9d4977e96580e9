import type { JsonSchema } from '../base/json';
import { expectedKeyword } from '../base/check-shape';
import { runnerIdPattern, runnerIdRule, toolNamePattern, toolNameRule } from './names';

// What the schemas of the runners' specs are made of.

export const text = { type: 'string' };
export const fullText = { type: 'string', minLength: 1 };
export const count = (minimum: number): JsonSchema => ({ type: 'integer', minimum });

export const id = { type: 'string', pattern: runnerIdPattern, [expectedKeyword]: runnerIdRule };
export const toolName = {
  type: 'string',
  pattern: toolNamePattern,
  [expectedKeyword]: toolNameRule,
};

export function list(items: JsonSchema, maxItems: number): JsonSchema {
  return { type: 'array', items, maxItems };
}

export function object(properties: JsonSchema, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const modelName = {
  type: 'string',
  pattern: '^\\S{1,200}$',
  [expectedKeyword]: 'a model name without spaces',
};

export const model = {
  ...object({ provider: id, model: modelName }, ['provider', 'model']),
  [expectedKeyword]: "'provider/model' or {provider, model}",
};

export const budget = object({
  maxTokens: count(1),
  maxCostUsd: { type: 'number', exclusiveMinimum: 0 },
  onExceeded: { enum: ['ask', 'fail'] },
});

export const sessionPrecedence = { enum: ['caller', 'store'] };

/** An inline spec is looked at by itself: what is wrong in it has its own place. */
export const runnerRef: JsonSchema = {
  anyOf: [id, { type: 'object' }],
  [expectedKeyword]: 'the id of a runner, or its spec',
};

/** Members of every orchestration. */
export const orchestration = { id, description: text, sessionPrecedence, budget };

export function members(items: JsonSchema, name: string): JsonSchema {
  return { ...list(items, 1000), minItems: 1, [expectedKeyword]: `an array of ${name}` };
}
