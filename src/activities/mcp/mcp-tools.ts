// Lists and calls the tools of MCP servers. The model sees the server's answer. A call is retried if the connection breaks, except a sent
// call with effect `once`: without an answer it ends with an unknown outcome.

import { Context } from '@temporalio/activity';
import { errorOutput, type ToolOutput, wholeOutput } from '../../core/transcript/tool-output';
import {
  type Definition,
  limits,
  LonghaulError,
  timeouts,
  type ToolContent,
  type ToolSpec,
} from '../../protocol';
import { type JsonObject, utf8Length } from '../../base';
import { type McpServer, mcpServersOf, mcpToolSpecs, readPart, withMcpTools } from '../../define';
import { isAnswer, isGarbled, mcpCause, McpUnavailable, mcpFailureReason } from './mcp-failure';
import type { McpPool } from './mcp-pool';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ActivityDependencies } from '../dependencies';
import { callLog, logFailure } from '../call-log';
import { notHere } from '../failures';

export type McpCall = {
  readonly pool: McpPool;
  readonly server: McpServer;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

/** The name under which the server gets the call's idempotency key. The key is the same in every attempt. */
const keyName = 'longhaul/idempotencyKey';

export async function callMcpTool({
  pool,
  server,
  spec,
  args,
  idempotencyKey,
  signal,
}: McpCall): Promise<ToolOutput> {
  const name = spec.mcp?.tool ?? spec.name;
  const options = { signal, timeout: requestTimeout() };
  const params = { name, arguments: args, _meta: { [keyName]: idempotencyKey } };
  try {
    const result = await pool.use(
      server,
      async (connection) => await connection.callTool(params, options),
    );
    return mcpOutput(spec.name, result);
  } catch (error) {
    if (signal.aborted) throw error;
    return unansweredOutput(error, { spec, server });
  }
}

function unansweredOutput(
  error: unknown,
  { spec, server }: Pick<McpCall, 'spec' | 'server'>,
): ToolOutput {
  const isUnavailable = error instanceof McpUnavailable;
  if (isUnavailable) tellLog(error);
  const isOnce = spec.effect === 'once';
  if (isAnswer(error) && !(isOnce && isGarbled(error))) {
    const text = `The tool '${spec.name}' failed: ${mcpFailureReason(error, server)}`;
    logFailure('error', `MCP server '${server.name}' refused a call`, mcpCause(error, server));
    return errorOutput(text);
  }
  if (!isOnce || (isUnavailable && !error.sent)) throw error;
  const reason = isUnavailable ? error.message : mcpFailureReason(error, server);
  const message = `${reason}. The call may or may not have taken effect: check before repeating it.`;
  throw new LonghaulError('OutcomeUnknown', message, { cause: mcpCause(error, server) });
}

/** Writes the output of the server's program to the worker's log. */
function tellLog({ message, said, details }: McpUnavailable): void {
  if (said !== '') callLog().warn(message, { ...details, stderr: said });
}

/** The time is a little shorter than the attempt, so that the error can name the server that did not answer. */
function requestTimeout(): number {
  const { startToCloseTimeoutMs } = Context.current().info;
  const attempt = startToCloseTimeoutMs || timeouts.toolStartToClose;
  return attempt - Math.min(1_000, attempt / 10);
}

type Block = CallToolResult['content'][number];

type Data = { readonly data: string; readonly mimeType: string | undefined };

/** The whole answer, not cut yet, in the order of its blocks. The protocol lets structured content replace the text, but not media. */
export function mcpOutput(
  tool: string,
  { content, structuredContent, isError = false }: CallToolResult,
): ToolOutput {
  const parts = bounded(joinTexts(content.map(partOf)));
  const media = parts.filter(({ type }) => type === 'media');
  if (structuredContent !== undefined && !isError) {
    const structured = wholeOutput(tool, structuredContent);
    return { ...structured, content: [...structured.content, ...media] };
  }
  if (isError && media.length === parts.length) {
    const failed = errorOutput(`The tool '${tool}' failed and did not say why.`);
    return { isError, content: [...failed.content, ...media] };
  }
  return parts.length === 0 ? wholeOutput(tool, null) : { isError, content: parts };
}

function partOf(block: Block): ToolContent {
  const { data, mimeType } = dataOf(block) ?? {};
  const media = data !== undefined && readPart({ type: 'media', mediaType: mimeType, data }, '');
  return typeof media === 'object' ? media : { type: 'text', text: textOf(block) };
}

/** Joins adjacent texts, and leaves out empty ones. */
function joinTexts(parts: readonly ToolContent[]): readonly ToolContent[] {
  const joined: ToolContent[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && part.text === '') continue;
    if (part.type !== 'text' || last?.type !== 'text') joined.push(part);
    else joined[joined.length - 1] = { type: 'text', text: `${last.text}\n${part.text}` };
  }
  return joined;
}

function bounded(parts: readonly ToolContent[]): readonly ToolContent[] {
  const more = parts.length - limits.toolParts;
  if (more <= 0) return parts;
  const note: ToolContent = { type: 'text', text: `[${more} more parts: left out]` };
  return [...parts.slice(0, limits.toolParts), note];
}

function dataOf(block: Block): Data | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { data: block.resource.blob, mimeType: block.resource.mimeType };
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') {
    return [block.name, block.description, block.uri].filter(Boolean).join(': ');
  }
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text;
  const { data = '', mimeType = 'of an unknown type' } = dataOf(block) ?? {};
  const place = block.type === 'resource' ? ` ${block.resource.uri}` : '';
  return `[${block.type}${place} ${mimeType}, ${utf8Length(data)} bytes of base64: not shown]`;
}

/** Adds the tools that the MCP servers list now to a definition. */
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
  if (server === undefined) throw notHere(`MCP server '${name}'`);
  try {
    const listed = await mcp.use(server, async (connection) => await connection.listTools(signal));
    const { specs, leftOut } = mcpToolSpecs(server, listed);
    if (leftOut.length > 0) {
      callLog().warn(`MCP server '${name}' lists tools that are left out`, {
        mcpServer: name,
        leftOut,
      });
    }
    return specs;
  } catch (error) {
    if (error instanceof McpUnavailable) tellLog(error);
    if (!isAnswer(error)) throw error;
    const message = `MCP server '${name}' does not list its tools: ${mcpFailureReason(error, server)}`;
    throw new LonghaulError('SpecError', message, {
      cause: mcpCause(error, server),
      details: { mcpServer: name },
    });
  }
}
