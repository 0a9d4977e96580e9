// Puts the tools of MCP servers into a definition, as the servers list them now.

import { log } from '@temporalio/activity';
import { LonghaulError } from '../../protocol/errors';
import type { Definition, ToolSpec } from '../../protocol/spec';
import { mcpServersOf, withMcpTools } from '../../define/mcp-definition';
import { mcpToolSpecs } from '../../define/mcp-tool-spec';
import type { ActivityDependencies } from '../dependencies';
import { tellLog } from './call-mcp-tool';
import { isAnswer, McpUnavailable, reasonOf } from './mcp-failure';

export async function listMcpTools(
  dependencies: ActivityDependencies,
  definition: Definition,
  signal: AbortSignal,
): Promise<Definition> {
  const listings = await Promise.all(
    mcpServersOf(definition).map(
      async (name) => [name, await toolsOf(dependencies, name, signal)] as const,
    ),
  );
  return withMcpTools(definition, new Map(listings));
}

async function toolsOf(
  { registry, mcp }: ActivityDependencies,
  name: string,
  signal: AbortSignal,
): Promise<readonly ToolSpec[]> {
  const server = registry.mcpServers.get(name);
  if (server === undefined) {
    throw new LonghaulError('NotRegisteredHere', `this worker has no MCP server '${name}'`, {
      retryable: true,
    });
  }
  try {
    const listed = await mcp.use(server, async (connection) => await connection.listTools(signal));
    const { specs, leftOut } = mcpToolSpecs(server, listed);
    if (leftOut.length > 0) {
      log.warn(`MCP server '${name}' lists tools that are left out`, { mcpServer: name, leftOut });
    }
    return specs;
  } catch (error) {
    if (error instanceof McpUnavailable) tellLog(error);
    if (!isAnswer(error)) throw error;
    const message = `MCP server '${name}' does not list its tools: ${reasonOf(error, server)}`;
    throw new LonghaulError('SpecError', message, { cause: error, details: { mcpServer: name } });
  }
}
