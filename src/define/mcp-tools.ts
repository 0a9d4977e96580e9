import { z } from 'zod';
import { deepFreeze, defined, type Problem, quote } from '../base';
import type { McpTransport, McpServer } from './mcp-server';
import { parseOptions, refuseProblems, saidBy } from './options';
import {
  duration,
  flag,
  fullText,
  type Immutable,
  mcpServerName,
  mcpServerRule,
  nonBlank,
  text,
} from './schema/parts';
import { effect, onToolError, retry, retrySpec } from './schema/tool';

const texts = z.record(z.string(), text).meta({ expected: 'an object of texts' });
const names = z.array(fullText.regex(/\S/)).min(1);

const mcpToolsOptions = z.strictObject({
  /** Your name for the server. It is the prefix of the tools' names. */
  name: mcpServerName,
  /** A program on the worker's machine that speaks MCP on standard input and output. It gets `env` and a few harmless variables. */
  stdio: z
    .strictObject({
      command: nonBlank('the program to run'),
      args: z.array(text).exactOptional(),
      env: texts.exactOptional(),
      cwd: nonBlank('a folder').exactOptional(),
    })
    .exactOptional(),
  /** The address of a server that speaks streamable HTTP. */
  url: z
    .string()
    .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    .meta({ expected: 'an http or https URL' })
    .exactOptional(),
  headers: texts.exactOptional(),
  /** Offers only these tools, by the server's own names. */
  include: names.exactOptional(),
  /** Offers all tools but these. */
  exclude: names.exactOptional(),
  /** The prefix of the tools' names, followed by two underscores. Default: `name`; `false`: no prefix. */
  prefix: z
    .union([z.literal(false), mcpServerName])
    .meta({ expected: `false or ${mcpServerRule}` })
    .exactOptional(),
  /** Asks a person before each call of a tool that may destroy something: any tool that the server does not call read-only or not destructive. */
  approveDestructive: flag.exactOptional(),
  /** The effect of tools that the server gives no hint about. Default `once`: a call that broke off is not made again. */
  effect: effect.exactOptional(),
  onError: onToolError.exactOptional(),
  /** The time of one attempt. Default 2 minutes. */
  timeout: duration.exactOptional(),
  retry: retry.exactOptional(),
});

/** The options of `mcpTools`: a name, and exactly one of `stdio` and `url`. */
export type McpToolsOptions = Immutable<z.input<typeof mcpToolsOptions>>;
type McpToolsInput = z.output<typeof mcpToolsOptions>;

/**
 * Offers the tools of an MCP server to an agent. A run lists them once, when it starts, and pins them. Throws a `SpecError` for wrong
 * options.
 *
 * @example
 * const agent = defineAgent({
 *   id: 'librarian',
 *   model: 'openai/gpt-6.1-terra',
 *   tools: [mcpTools({ name: 'files', stdio: { command: 'mcp-server-filesystem', args: ['/srv/library'] } })],
 * });
 */
export function mcpTools(options: McpToolsOptions): McpServer {
  const named = saidBy(options, 'name');
  const subject = typeof named === 'string' ? `MCP server ${quote(named)}` : 'An MCP server';
  const parsed = parseOptions(mcpToolsOptions, options, { subject });
  refuseProblems(subject, connectionRules(parsed));
  const { name, prefix = name, include, exclude } = parsed;
  return deepFreeze({
    kind: 'mcp-server' as const,
    name,
    prefix: prefix === false ? '' : `${prefix}__`,
    ...defined({ include, exclude }),
    rules: defined({
      effect: parsed.effect,
      onError: parsed.onError,
      timeoutMs: parsed.timeout,
      // Tools with the effect `once` are tried once, also if others are retried.
      retry: retrySpec(parsed.retry),
      approveDestructive: parsed.approveDestructive,
    }),
    connection: transportOf(parsed),
  });
}

function connectionRules({ stdio, url, headers }: McpToolsInput): Problem[] {
  if ((stdio === undefined) === (url === undefined)) {
    return [{ path: '', message: 'Give exactly one of stdio and url.' }];
  }
  if (stdio === undefined || headers === undefined) return [];
  return [{ path: 'headers', message: 'go with a url' }];
}

function transportOf({ stdio, url = '', headers = {} }: McpToolsInput): McpTransport {
  if (stdio === undefined) return { kind: 'http', url, headers };
  const { command, args = [], env = {}, cwd } = stdio;
  return { kind: 'stdio', command, args, env, ...defined({ cwd }) };
}
