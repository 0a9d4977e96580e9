import { createHash } from 'node:crypto';
import { SpecError } from '../protocol/error-classes';
import { isJsonObject, type JsonObject } from '../protocol/json';
import type { ToolSpec } from '../protocol/spec';
import type { McpServer } from './mcp-server';
import { didYouMean } from '../core/nearest';
import { toPlainJson } from './plain-json';
import { formatProblem, quote } from './problem';

/** A tool as an MCP server lists it. */
export type ListedMcpTool = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?: McpAnnotations | undefined;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
};

type McpAnnotations = {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
};

const hashLength = 8;

/** What a run pins of the tools a server lists. Throws `SpecError` where the list is none to build on. */
export function mcpToolSpecs(server: McpServer, listed: readonly ListedMcpTool[]): ToolSpec[] {
  const chosen = choose(server, listed);
  const specs = chosen.map((tool) => mcpToolSpec(server, tool));
  specs.forEach((spec, index) => {
    const first = specs.findIndex(({ name }) => name === spec.name);
    if (first === index) return;
    const names = [specs[first]?.mcp?.tool ?? '', spec.mcp?.tool ?? ''].map(quote).join(' and ');
    throw refusal(server, `lists two tools ${quote(spec.name)} (${names}): exclude one`);
  });
  return specs;
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
      // Such a tool answers only to a protocol of its own, not to a plain call.
      execution?.taskSupport !== 'required',
  );
}

function mcpToolSpec(server: McpServer, tool: ListedMcpTool): ToolSpec {
  const { onError, timeoutMs, retry } = server.rules;
  const annotations = tool.annotations ?? {};
  const effect = effectOf(annotations) ?? server.rules.effect;
  const title = tool.title ?? annotations.title ?? tool.name;
  return {
    name: toolName(server.prefix, tool.name),
    description: tool.description || title,
    inputSchema: schemaOf(server, tool),
    ...(effect && { effect }),
    ...(onError && { onError }),
    ...(needsApproval(server, annotations) && { needsApproval: true }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(retry && { retry }),
    mcp: { server: server.name, tool: tool.name },
  };
}

/** What the server says; a tool it says nothing of is left to the options. */
function effectOf({ readOnlyHint, idempotentHint }: McpAnnotations): ToolSpec['effect'] {
  if (readOnlyHint === true) return 'read';
  if (idempotentHint === undefined) return undefined;
  return idempotentHint ? 'idempotent' : 'once';
}

/** The protocol's own defaults: what is not said to be harmless is not. */
function needsApproval(
  { rules }: McpServer,
  { readOnlyHint = false, destructiveHint = true }: McpAnnotations,
): boolean {
  return rules.approveDestructive === true && !readOnlyHint && destructiveHint;
}

function schemaOf(server: McpServer, { name, inputSchema }: ListedMcpTool): JsonObject {
  const plain = toPlainJson(inputSchema);
  if (!plain.ok) {
    const problem = formatProblem(plain.problem);
    throw refusal(server, `lists tool ${quote(name)} with a schema that is no JSON: ${problem}`);
  }
  const schema = isJsonObject(plain.value) ? plain.value : {};
  return { ...schema, type: 'object' };
}

/** The same for the same tool always; what models do not take in a name is replaced, and a long one ends in a hash of the whole. */
export function toolName(prefix: string, tool: string): string {
  const whole = prefix + tool;
  const name = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  if (name.length <= longestName && name !== '') return name;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, hashLength);
  return `${name.slice(0, longestName - hashLength - 1)}_${hash}`;
}

const longestName = 64;

function refusal({ name }: McpServer, problem: string): SpecError {
  return new SpecError(`MCP server ${quote(name)} ${problem}`, { details: { mcpServer: name } });
}
