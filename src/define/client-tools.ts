// Adds the tools that a client brings to the agent of its run, only in the definition of this run.

import { canonicalJson, deepFreeze, quote, toKiB } from '../base';
import { broughtToolsProblem } from '../core/client-tools';
import { runnerOf } from '../core/runner-refs';
import {
  type AgentSpec,
  askUserTool,
  type ClientTool,
  type Definition,
  limits,
  LonghaulError,
  resultToolNames,
  type ToolSpec,
} from '../protocol';
import { runnerName } from './runner';

/** Throws `InvalidInput` if the run's runner is no agent, if a name is taken, or for tools that no run takes. */
export function withClientTools(definition: Definition, tools: readonly ClientTool[]): Definition {
  const problem = broughtToolsProblem(tools);
  if (problem !== undefined) throw invalid(problem);
  const agent = runnerOf(definition, definition.runner);
  if (agent.kind !== 'agent')
    throw invalid(`clientTools are for agents, and ${quote(agent.id)} is a ${agent.kind} runner`);
  const taken = takenNames(definition, agent);
  const added = tools.map((tool): readonly [string, ToolSpec] => {
    const user = taken.get(tool.name);
    if (user !== undefined)
      throw invalid(`client tool ${quote(tool.name)} has the name of ${user}: rename it`, tool);
    return [tool.name, { ...tool, result: 'client' }];
  });
  const names = added.map(([name]) => name);
  const whole: Definition = {
    ...definition,
    runners: {
      ...definition.runners,
      [agent.id]: { ...agent, tools: [...(agent.tools ?? []), ...names] },
    },
    tools: { ...definition.tools, ...Object.fromEntries(added) },
  };
  checkSize(whole, agent);
  return deepFreeze(whole);
}

/** The names that are taken, each with its owner. A definition has one tool of a name, so tools of agents below count, too. */
function takenNames(definition: Definition, agent: AgentSpec): ReadonlyMap<string, string> {
  return new Map([
    ...Object.values(resultToolNames).map((name) => [name, 'the tool for stored results'] as const),
    [askUserTool.name, 'the tool that asks the user'] as const,
    ...Object.keys(definition.tools).map((name) => [name, 'a tool of the workers'] as const),
    ...(agent.subAgents ?? []).map(({ name }) => [name, 'a sub-agent'] as const),
  ]);
}

function checkSize(definition: Definition, agent: AgentSpec): void {
  const bytes = Buffer.byteLength(canonicalJson(definition));
  if (bytes <= limits.definition) return;
  throw invalid(
    `${runnerName(agent)} is ${toKiB(bytes)} with its client tools; a definition may have ${toKiB(limits.definition)}: shorten their schemas`,
  );
}

function invalid(message: string, tool?: ClientTool): LonghaulError {
  return new LonghaulError('InvalidInput', message, { details: tool ? { tool: tool.name } : {} });
}
