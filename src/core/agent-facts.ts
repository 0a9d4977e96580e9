// What an agent's loop needs of its pinned definition: everything but prompts and schemas, which stay on the workers. Pure.

import type { CriterionSpec } from '../protocol/agent-run';
import type { AgentFacts, SubAgentFacts, ToolFacts } from '../protocol/activities';
import type { AgentSpec, Definition, SubAgentSpec, ToolSpec } from '../protocol/spec';
import { runnerOf, runnerPlace } from './runner-refs';

export function agentFacts(definition: Definition, agentId: string): AgentFacts {
  const spec = agentOf(definition, agentId);
  const {
    instructions: _instructions,
    description: _description,
    settings: _settings,
    tools = [],
    subAgents = [],
    callbacks,
    ...facts
  } = spec;
  return {
    ...facts,
    tools: tools.map((name) => toolFacts(toolOf(definition, name))),
    ...(subAgents.length > 0 && {
      subAgents: subAgents.map((callee) => subAgentFacts(definition, callee)),
    }),
    ...(callbacks !== undefined && callbackFacts(definition, callbacks)),
  };
}

/** All criteria of an agent in the order verdicts are given; its output schema is the last of them. */
export function criteriaOf(
  agent: Pick<AgentSpec, 'criteria' | 'output'>,
): readonly CriterionSpec[] {
  const criteria = agent.criteria ?? [];
  return agent.output === undefined
    ? criteria
    : [...criteria, { kind: 'structured-output', schema: agent.output.schema }];
}

/** The agent of this id in a definition; a closure always holds what its runners name. */
export function agentOf(definition: Definition, agentId: string): AgentSpec {
  const spec = runnerOf(definition, agentId);
  if (spec.kind !== 'agent') throw new TypeError(`runner '${agentId}' is no agent`);
  return spec;
}

export function toolOf(definition: Definition, name: string): ToolSpec {
  const spec = definition.tools[name];
  if (spec === undefined) throw new TypeError(`definition has no tool '${name}'`);
  return spec;
}

function subAgentFacts(
  definition: Definition,
  { description: _description, runner, ...facts }: SubAgentSpec,
): SubAgentFacts {
  return { ...facts, ...runnerPlace(definition, runner) };
}

function callbackFacts(
  definition: Definition,
  names: readonly string[],
): Pick<AgentFacts, 'callbackSession' | 'toolHooks'> {
  const specs = names.map((name) => definition.callbacks?.[name]);
  const toolHooks = [...new Set(specs.flatMap((spec) => spec?.toolHooks ?? []))];
  return {
    callbackSession: [...new Set(specs.flatMap((spec) => spec?.session ?? []))],
    ...(toolHooks.length > 0 && { toolHooks }),
  };
}

function toolFacts(spec: ToolSpec): ToolFacts {
  const {
    description: _description,
    inputSchema: _inputSchema,
    maxResultBytes: _maxResultBytes,
    ...facts
  } = spec;
  return facts;
}
