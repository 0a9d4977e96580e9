import { isJsonObject, type Json } from '../base/json';
import type { AgentSpec } from '../protocol/spec';
import type { Agent, AgentOptions } from './agent';
import { parseCallbacks } from './agent-callbacks';
import { parseCriteria } from './agent-criteria';
import { agentSpecProblems } from './agent-spec-problems';
import { parseTools } from './agent-tools';
import { completeModel, parseModel } from './model-ref';
import { OptionReader } from './option-reader';
import { deepFreeze, isPlainObject } from '../base/plain-json';
import { readPlainOptions } from './plain-options';
import { specError } from './problem';
import { runnerSubject } from '../define/runner';
import { checkNesting } from './runner-nesting';
import { parseSchemaOption } from './schema-option';
import { isStandardSchema } from './standard-schema';
import { unreported } from './unreported';

/** Options that stand in the spec as they are. */
const plainOptions = [
  'id',
  'description',
  'instructions',
  'toolConcurrency',
  'maxIterations',
  'maxTurns',
  'toolChoice',
  'settings',
  'askUser',
  'onInputTimeout',
  'onInvalidToolCall',
  'maxInvalidToolCalls',
  'sessionPrecedence',
  'budget',
] as const;
const optionNames = [
  ...plainOptions,
  'model',
  'tools',
  'criteria',
  'callbacks',
  'output',
  'inputTimeout',
  'memory',
];

/**
 * Defines an agent. The definition is data, except for its tools, custom criteria and callbacks, which stay on the worker.
 *
 * @example
 * const weather = defineAgent({
 *   id: 'weather',
 *   model: 'openai/gpt-6.1-terra',
 *   instructions: 'Answer in one sentence.',
 *   tools: [getWeather],
 * });
 */
export function defineAgent(options: AgentOptions): Agent {
  const reader = new OptionReader(options, optionNames);
  const tools = parseTools(reader.get('tools'));
  const criteria = parseCriteria(reader.get('criteria'));
  const { callbacks, ...code } = parseCallbacks(reader.get('callbacks'));
  reader.problems.push(...tools.problems, ...criteria.problems, ...code.problems);
  const candidate = {
    kind: 'agent',
    ...readPlainOptions(reader, plainOptions),
    ...readMemory(reader),
    ...readModel(reader),
    ...member(
      'tools',
      tools.tools.map(({ name }) => name),
    ),
    ...member(
      'subAgents',
      tools.subAgents.map(({ spec }) => spec),
    ),
    ...member(
      'mcpServers',
      tools.mcpServers.map(({ name }) => name),
    ),
    ...member('criteria', criteria.specs),
    ...member(
      'callbacks',
      callbacks.map(({ name }) => name),
    ),
    ...(criteria.maxIterations === undefined ? {} : { maxIterations: criteria.maxIterations }),
    ...readOutput(reader),
    ...readInputTimeout(reader),
  };
  const problems = [
    ...reader.problems,
    ...unreported(agentSpecProblems(candidate), reader.problems),
  ];
  if (problems.length > 0) throw specError(runnerSubject('agent', reader.get('id')), problems);
  checkNesting(candidate as unknown as AgentSpec);
  const evaluators = criteria.custom.map(({ name, evaluate }) => [name, evaluate] as const);
  return createAgent(candidate as unknown as AgentSpec, {
    ...tools,
    criteria: frozenMap(evaluators),
    callbacks,
  });
}

function createAgent(
  spec: AgentSpec,
  code: Pick<Agent, 'tools' | 'subAgents' | 'mcpServers' | 'criteria' | 'callbacks'>,
): Agent {
  return Object.freeze({
    kind: 'agent',
    id: spec.id,
    spec: deepFreeze(spec),
    tools: Object.freeze([...code.tools]),
    subAgents: Object.freeze([...code.subAgents]),
    mcpServers: Object.freeze([...code.mcpServers]),
    criteria: code.criteria,
    callbacks: Object.freeze([...code.callbacks]),
  });
}

/** The model that summarises may be text, as the agent's own. */
function readMemory(reader: OptionReader): Record<string, unknown> {
  const found = readPlainOptions(reader, ['memory']);
  const memory = found.memory as Json | undefined;
  if (isJsonObject(memory) && isJsonObject(memory.compact)) {
    reader.problems.push(...completeModel(memory.compact, 'memory.compact.model'));
  }
  return found;
}

function readModel(reader: OptionReader): object {
  const value = reader.get('model');
  if (value === undefined) return {};
  if (typeof value !== 'string') return { model: isPlainObject(value) ? { ...value } : value };
  const parsed = parseModel(value);
  if (parsed.ok) return { model: parsed.model };
  reader.refuse('model', parsed.message);
  return {};
}

function readOutput(reader: OptionReader): object {
  if (isStandardSchema(reader.get('output'))) {
    reader.refuse('output', 'must be {schema: …}, not the schema itself');
    return {};
  }
  const output = reader.nested('output', ['schema']);
  if (output === undefined) return {};
  const option = parseSchemaOption(output.get('schema'), 'output.schema');
  if (option.ok) return { output: { schema: option.schema } };
  reader.problems.push(option.problem);
  return {};
}

function readInputTimeout(reader: OptionReader): object {
  const inputTimeoutMs = reader.duration('inputTimeout');
  return inputTimeoutMs === undefined ? {} : { inputTimeoutMs };
}

function member(name: string, list: readonly unknown[]): object {
  return list.length === 0 ? {} : { [name]: list };
}

function frozenMap<Value>(
  entries: readonly (readonly [string, Value])[],
): ReadonlyMap<string, Value> {
  const refuse = () => {
    throw new TypeError('A definition is immutable');
  };
  return Object.freeze(
    Object.assign(new Map(entries), { set: refuse, delete: refuse, clear: refuse }),
  );
}
