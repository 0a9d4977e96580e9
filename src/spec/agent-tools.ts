import type { AgentTool } from './agent';
import type { SubAgentTool } from './sub-agent';
import type { Tool } from './tool';
import { isJsonObject } from '../protocol/json';
import { describeValue, quote, type Problem } from './problem';

export type ParsedTools = {
  readonly tools: readonly Tool[];
  readonly subAgents: readonly SubAgentTool[];
  readonly problems: readonly Problem[];
};

/** The tools of an agent's definition: made by `defineTool` or `subAgent`, each name once. */
export function parseTools(value: unknown): ParsedTools {
  if (value === undefined) return { tools: [], subAgents: [], problems: [] };
  if (!Array.isArray(value)) {
    const message = `must be an array of tools, not ${describeValue(value)}`;
    return { tools: [], subAgents: [], problems: [{ path: 'tools', message }] };
  }
  const strangers = value.flatMap((tool: unknown, index) =>
    isTool(tool) || isSubAgent(tool)
      ? []
      : [
          {
            path: `tools[${index}]`,
            message: `must come from defineTool or subAgent, not be ${describeValue(tool)}`,
          },
        ],
  );
  const tools = value.filter(isTool);
  const subAgents = value.filter(isSubAgent);
  const problems = strangers.length > 0 ? strangers : repeated(value as readonly AgentTool[]);
  return { tools, subAgents, problems };
}

export function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'tool';
}

function isSubAgent(value: unknown): value is SubAgentTool {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'sub-agent';
}

function repeated(tools: readonly AgentTool[]): Problem[] {
  return tools.flatMap((tool, index) => {
    const first = tools.findIndex(({ name }) => name === tool.name);
    const earlier = tools[first];
    if (first === index || earlier === undefined) return [];
    const places = `${placeOf(earlier, first)} and ${placeOf(tool, index)}`;
    return [{ path: 'tools', message: `holds tool ${quote(tool.name)} twice: at ${places}` }];
  });
}

function placeOf(tool: AgentTool, index: number): string {
  return `tools[${index}] (${quote(tool.spec.description)})`;
}
