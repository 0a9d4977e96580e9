import {
  type Definition,
  limits,
  LonghaulError,
  type RunnerSpec,
  type ToolSpec,
} from '../protocol';
import { canonicalJson, deepFreeze, quote, toKiB } from '../base';
import { refuseProblems } from './options';
import { agentRules } from './schema/agent';

/** The tools of each MCP server of a definition, by the server's name. */
export type McpListings = ReadonlyMap<string, readonly ToolSpec[]>;

/** The servers that a definition names but has no tools of yet. */
export function mcpServersOf({ runners }: Definition): readonly string[] {
  const named = Object.values(runners).flatMap((spec) =>
    spec.kind === 'agent' ? (spec.mcpServers ?? []) : [],
  );
  return [...new Set(named)];
}

/** The definition with its servers' tools in place of the servers: this is what a run pins. */
export function withMcpTools(definition: Definition, listings: McpListings): Definition {
  const tools = new Map(Object.entries(definition.tools));
  for (const spec of [...listings.values()].flat()) {
    const other = tools.get(spec.name);
    if (other !== undefined) throw sameName(spec, other);
    tools.set(spec.name, spec);
  }
  const runners = Object.values(definition.runners).map((spec) => withTools(spec, listings));
  const listed: Definition = {
    ...definition,
    runners: Object.fromEntries(runners.map((spec) => [spec.id, spec])),
    tools: Object.fromEntries(tools),
  };
  checkSize(listed, listings);
  return deepFreeze(listed);
}

function withTools(spec: RunnerSpec, listings: McpListings): RunnerSpec {
  if (spec.kind !== 'agent') return spec;
  const { mcpServers, ...rest } = spec;
  if (mcpServers === undefined) return spec;
  const listed = mcpServers.flatMap((server) => listings.get(server) ?? []);
  const expanded = { ...rest, tools: [...(spec.tools ?? []), ...listed.map(({ name }) => name)] };
  refuseProblems(
    `Agent ${quote(spec.id)}, with the tools of its MCP servers`,
    agentRules(expanded),
  );
  return expanded;
}

function sameName({ name, mcp }: ToolSpec, other: ToolSpec): LonghaulError {
  const owner = other.mcp === undefined ? 'another tool' : `MCP server ${quote(other.mcp.server)}`;
  const server = mcp?.server ?? '';
  const message = `MCP server ${quote(server)} has a tool ${quote(name)}, and so has ${owner}: give the server another prefix, or exclude the tool`;
  return new LonghaulError('SpecError', message, { details: { mcpServer: server, tool: name } });
}

function checkSize(definition: Definition, listings: McpListings): void {
  const bytes = bytesOf(definition);
  if (bytes <= limits.definition) return;
  const sizes = [...listings].map(([server, tools]) => ({ server, bytes: bytesOf(tools) }));
  const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const message = `Agent ${quote(definition.runner)} is ${toKiB(bytes)} with its tools; a definition may have ${toKiB(limits.definition)}. The tools of MCP server ${quote(largest.server)} take ${toKiB(largest.bytes)}: choose some of them with include.`;
  throw new LonghaulError('SpecError', message, { details: { bytes, mcpServer: largest.server } });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value));
}
