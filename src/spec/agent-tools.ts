import type { AgentTool } from './agent';
import type { McpServer } from './mcp-server';
import type { SubAgentTool } from './sub-agent';
import type { Tool } from './tool';
import { isJsonObject } from '../base/json';
import { describeValue, quote, type Problem } from './problem';

export type ParsedTools = {
  readonly tools: readonly Tool[];
  readonly subAgents: readonly SubAgentTool[];
  readonly mcpServers: readonly McpServer[];
  readonly problems: readonly Problem[];
};

const makers = 'defineTool, activityTool, subAgent or mcpTools';
const none = { tools: [], subAgents: [], mcpServers: [] };

/** What an agent's definition lists as its tools, each name once. */
export function parseTools(value: unknown): ParsedTools {
  if (value === undefined) return { ...none, problems: [] };
  if (!Array.isArray(value)) {
    const message = `must be an array of tools, not ${describeValue(value)}`;
    return { ...none, problems: [{ path: 'tools', message }] };
  }
  const strangers = value.flatMap((tool: unknown, index) =>
    isTool(tool) || isSubAgent(tool) || isMcpServer(tool)
      ? []
      : [
          {
            path: `tools[${index}]`,
            message: `must come from ${makers}, not be ${describeValue(tool)}`,
          },
        ],
  );
  const tools = value.filter(isTool);
  const subAgents = value.filter(isSubAgent);
  const mcpServers = value.filter(isMcpServer);
  const problems = strangers.length > 0 ? strangers : repeated(value as readonly AgentTool[]);
  return { tools, subAgents, mcpServers, problems };
}

export function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'tool';
}

function isSubAgent(value: unknown): value is SubAgentTool {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'sub-agent';
}

export function isMcpServer(value: unknown): value is McpServer {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'mcp-server';
}

/** A server may have the name of a tool: its own tools have other names. */
function repeated(tools: readonly AgentTool[]): Problem[] {
  return tools.flatMap((tool, index) => {
    const first = tools.findIndex(
      (other) => other.name === tool.name && isMcpServer(other) === isMcpServer(tool),
    );
    const earlier = tools[first];
    if (first === index || earlier === undefined) return [];
    const places = `${placeOf(earlier, first)} and ${placeOf(tool, index)}`;
    const kind = isMcpServer(tool) ? 'MCP server' : 'tool';
    return [{ path: 'tools', message: `holds ${kind} ${quote(tool.name)} twice: at ${places}` }];
  });
}

function placeOf(tool: AgentTool, index: number): string {
  return isMcpServer(tool)
    ? `tools[${index}]`
    : `tools[${index}] (${quote(tool.spec.description)})`;
}
