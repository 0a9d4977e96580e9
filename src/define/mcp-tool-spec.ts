import { createHash } from 'node:crypto';
import { costProblem } from '../core/schema/schema-problem';
import { limits, LonghaulError, type ToolSpec } from '../protocol';
import { defined, didYouMean, formatProblem, isJsonObject, type JsonObject, quote } from '../base';
import type { McpServer } from './mcp-server';
import { toPlainJson } from './plain-json';

/** A tool as an MCP server lists it. */
export type ListedMcpTool = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?: McpAnnotations | undefined;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
  /** Why it cannot be a tool. */
  readonly fault?: string;
};

export type McpToolSpecs = {
  readonly specs: ToolSpec[];
  /** Tools that cannot be offered, with the reasons. The other tools are offered all the same. */
  readonly leftOut: readonly LeftOut[];
};

type LeftOut = { readonly tool: string; readonly reason: string };

type McpAnnotations = {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
};

const hashLength = 8;

/** The tools that a run pins, of those that a server lists. Throws `SpecError` if a tool that `include` names cannot be offered. */
export function mcpToolSpecs(server: McpServer, listed: readonly ListedMcpTool[]): McpToolSpecs {
  const chosen = choose(server, listed);
  const named = new Map<string, string[]>();
  for (const { name } of chosen) {
    const offered = mcpToolName(server.prefix, name);
    named.set(offered, [...(named.get(offered) ?? []), name]);
  }
  const specs: ToolSpec[] = [];
  const leftOut: LeftOut[] = [];
  for (const tool of chosen) {
    const offered = mcpToolName(server.prefix, tool.name);
    const reason = twinsReason(offered, named.get(offered) ?? []) ?? faultOf(tool);
    if (reason === undefined) specs.push(mcpToolSpec(server, tool));
    else if (server.include === undefined) leftOut.push({ tool: tool.name, reason });
    else throw refusal(server, `lists tool ${quote(tool.name)}, which ${reason}`);
  }
  return { specs, leftOut };
}

/** Several tools of the server get the same name, so the name is ambiguous. */
function twinsReason(offered: string, twins: readonly string[]): string | undefined {
  if (twins.length < 2) return undefined;
  const names = twins.slice(0, 5).map(quote).join(' and ');
  return `comes to the same name, ${quote(offered)}, as another one (${names}): exclude all but one`;
}

/** Why a tool cannot be offered to a model. A schema that is merely wrong is left to the server, which checks arguments itself. */
function faultOf({ fault, name, description, inputSchema }: ListedMcpTool): string | undefined {
  if (fault !== undefined) return fault;
  const plain = toPlainJson(inputSchema);
  if (!plain.ok) return `has a schema that is no JSON: ${formatProblem(plain.problem)}`;
  const problem = isJsonObject(plain.value) ? costProblem(plain.value) : undefined;
  if (problem !== undefined) return `has a schema that ${formatProblem(problem)}`;
  const bytes = Buffer.byteLength(JSON.stringify([name, description, inputSchema]));
  return bytes > limits.toolSchema
    ? `has ${bytes} bytes with its description; at most ${limits.toolSchema} are taken`
    : undefined;
}

/** Fails closed: a name in `include` or `exclude` that the server does not know may be a typing error. */
function choose(server: McpServer, listed: readonly ListedMcpTool[]): readonly ListedMcpTool[] {
  const { include, exclude = [] } = server;
  const known = listed.map(({ name }) => name);
  const unknown = [...(include ?? []), ...exclude].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const message = `has no tool ${quote(unknown)}${didYouMean(unknown, known) || '.'} It has: ${known.join(', ')}`;
    throw refusal(server, message);
  }
  return listed.filter(
    ({ name, execution }) =>
      (include === undefined || include.includes(name)) &&
      !exclude.includes(name) &&
      // Such a tool works only as a task of the protocol, not by a plain call.
      execution?.taskSupport !== 'required',
  );
}

function mcpToolSpec(server: McpServer, tool: ListedMcpTool): ToolSpec {
  const { onError, timeoutMs, retry } = server.rules;
  const annotations = tool.annotations ?? {};
  const effect = effectOf(annotations) ?? server.rules.effect ?? 'once';
  const title = tool.title ?? annotations.title ?? tool.name;
  return {
    name: mcpToolName(server.prefix, tool.name),
    description: tool.description || title,
    inputSchema: schemaOf(tool),
    effect,
    ...(onError && { onError }),
    ...(needsApproval(server, annotations) && { needsApproval: true }),
    ...defined({ timeoutMs, retry }),
    mcp: { server: server.name, tool: tool.name },
  };
}

/** The effect by the server's hints. Undefined without a hint: then the options decide, and else the tool is called once. */
function effectOf({ readOnlyHint, idempotentHint }: McpAnnotations): ToolSpec['effect'] {
  if (readOnlyHint === true) return 'read';
  if (idempotentHint === undefined) return undefined;
  return idempotentHint ? 'idempotent' : 'once';
}

/** The defaults are those of the protocol: a tool without hints may do harm. */
function needsApproval(
  { rules }: McpServer,
  { readOnlyHint = false, destructiveHint = true }: McpAnnotations,
): boolean {
  return rules.approveDestructive === true && !readOnlyHint && destructiveHint;
}

function schemaOf({ inputSchema }: ListedMcpTool): JsonObject {
  const plain = toPlainJson(inputSchema);
  const schema = plain.ok && isJsonObject(plain.value) ? plain.value : {};
  return { ...schema, type: 'object' };
}

/**
 * The name of a tool for models, always the same for the same tool. Other characters than models take are replaced. A long name ends in a
 * hash of the whole.
 */
export function mcpToolName(prefix: string, tool: string): string {
  const whole = prefix + tool;
  const name = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  if (name.length <= longestName && name !== '') return name;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, hashLength);
  return `${name.slice(0, longestName - hashLength - 1)}_${hash}`;
}

const longestName = 64;

function refusal({ name }: McpServer, problem: string): LonghaulError {
  return new LonghaulError('SpecError', `MCP server ${quote(name)} ${problem}`, {
    details: { mcpServer: name },
  });
}
