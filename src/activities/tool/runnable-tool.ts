// The code of a tool, wherever it is: in this worker, or behind an MCP server.

import { toToolOutput, type ToolOutput } from '../../core/transcript/tool-output';
import type { JsonObject } from '../../base/json';
import type { ToolSpec } from '../../protocol/spec';
import type { Tool, ToolContext } from '../../spec/tool';
import type { ActivityDependencies } from '../dependencies';
import { callMcpTool } from '../mcp/call-mcp-tool';

export type RunnableTool = {
  /** What else checks the arguments, beside the schema the run pinned. */
  readonly own: Tool | undefined;
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
};

/** Undefined where this worker does not have it. */
export function runnableTool(
  { registry, mcp: pool }: ActivityDependencies,
  spec: ToolSpec,
): RunnableTool | undefined {
  if (spec.mcp !== undefined) {
    const server = registry.mcpServer(spec.mcp.server);
    return (
      server && {
        own: undefined,
        run: (args, { signal, idempotencyKey }) =>
          callMcpTool({ pool, server, spec, args: args as JsonObject, idempotencyKey, signal }),
      }
    );
  }
  const tool = registry.tool(spec.name);
  return (
    tool && {
      own: tool,
      run: async (args, context) =>
        toToolOutput(spec.name, await tool.execute(args, context), spec.maxResultBytes),
    }
  );
}
