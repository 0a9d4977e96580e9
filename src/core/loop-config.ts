// The part of a pinned definition that an agent's loop needs. Prompts and schemas stay on the workers. Pure.

import type { CriterionSpec } from '../protocol/agent-run';
import type { AgentConfig, SubAgentConfig, ToolConfig } from '../protocol/activities';
import type { AgentSpec, Definition, SubAgentSpec, ToolSpec } from '../protocol/spec';
import { runnerOf, runnerPlace } from './runner-refs';

export function agentConfig(definition: Definition, agentId: string): AgentConfig {
  const spec = agentOf(definition, agentId);
  const {
    instructions: _instructions,
    description: _description,
    settings: _settings,
    tools = [],
    subAgents = [],
    callbacks,
    ...config
  } = spec;
  return {
    ...config,
    tools: tools.map((name) => toolConfig(toolSpecOf(definition, name))),
    ...(subAgents.length > 0 && {
      subAgents: subAgents.map((callee) => subAgentConfig(definition, callee)),
    }),
    ...(callbacks !== undefined && callbackConfig(definition, callbacks)),
  };
}

/** All criteria of an agent, in the order of their checks. The output schema is the last one. */
export function criteriaOf(
  agent: Pick<AgentSpec, 'criteria' | 'output'>,
): readonly CriterionSpec[] {
  const criteria = agent.criteria ?? [];
  return agent.output === undefined
    ? criteria
    : [...criteria, { kind: 'structured-output', schema: agent.output.schema }];
}

/** True if calls of the tool may run in the activity of the model call. The run makes a call again that does not finish there. */
export function mayRunInline(
  { inlineReads = false }: Pick<AgentSpec, 'inlineReads'>,
  tool: Omit<ToolConfig, 'name'>,
): boolean {
  const { inline = inlineReads && tool.effect === 'read' } = tool;
  const mayRunAgain = tool.effect !== 'once' && tool.retry?.maximumAttempts !== 1;
  const isOwn = tool.activity === undefined && tool.result === undefined;
  return inline && mayRunAgain && tool.needsApproval !== true && isOwn;
}

/** True if a call that runs inline may have an effect. */
export function mayActInline(config: Pick<AgentConfig, 'inlineReads' | 'tools'>): boolean {
  return config.tools.some((tool) => tool.effect !== 'read' && mayRunInline(config, tool));
}

/** The agent with this id. A definition contains every runner that its runners name. */
export function agentOf(definition: Definition, agentId: string): AgentSpec {
  const spec = runnerOf(definition, agentId);
  if (spec.kind !== 'agent') throw new TypeError(`runner '${agentId}' is no agent`);
  return spec;
}

export function toolSpecOf(definition: Definition, name: string): ToolSpec {
  const spec = definition.tools[name];
  if (spec === undefined) throw new TypeError(`definition has no tool '${name}'`);
  return spec;
}

function subAgentConfig(
  definition: Definition,
  { description: _description, runner, ...config }: SubAgentSpec,
): SubAgentConfig {
  return { ...config, ...runnerPlace(definition, runner) };
}

function callbackConfig(
  definition: Definition,
  names: readonly string[],
): Pick<AgentConfig, 'callbackSession' | 'toolHooks'> {
  const specs = names.map((name) => definition.callbacks?.[name]);
  const toolHooks = [...new Set(specs.flatMap((spec) => spec?.toolHooks ?? []))];
  return {
    callbackSession: [...new Set(specs.flatMap((spec) => spec?.session ?? []))],
    ...(toolHooks.length > 0 && { toolHooks }),
  };
}

function toolConfig(spec: ToolSpec): ToolConfig {
  const {
    description: _description,
    inputSchema: _inputSchema,
    maxResultBytes: _maxResultBytes,
    ...config
  } = spec;
  return config;
}
