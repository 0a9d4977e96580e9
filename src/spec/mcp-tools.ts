import { defined } from '../base/defined';
import type { Duration } from '../base/duration';
import type { McpConnection, McpServer, McpToolRules } from './mcp-server';
import { mcpServerPattern, mcpServerRule } from './names';
import { OptionReader } from './option-reader';
import { deepFreeze, isPlainObject } from '../base/plain-json';
import { describeValue, quote, specError } from './problem';
import { retryOf, type RetryOptions } from './tool-options';

type Texts = Readonly<Record<string, string>>;

export type McpToolsOptions = {
  /** Of the server, for you; it stands before the names of its tools. */
  readonly name: string;
  /** A program on the worker's machine that speaks MCP on its standard input and output. It gets `env` and a few harmless variables. */
  readonly stdio?: {
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: Texts;
    readonly cwd?: string;
  };
  /** Of a server that speaks streamable HTTP. */
  readonly url?: string;
  readonly headers?: Texts;
  /** Only these of the server's tools, by the server's own names. */
  readonly include?: readonly string[];
  /** All but these. */
  readonly exclude?: readonly string[];
  /** Stands before the tools' names, with two underscores between. Default: the server's name; `false`: nothing. */
  readonly prefix?: string | false;
  /** Asks a person before each call of a tool that may destroy something. By the protocol that is each tool the server does not call read-only or not destructive. */
  readonly approveDestructive?: boolean;
  /** Of tools that the server says nothing about. Default `once`, as the protocol has it: a call that broke off is not made again. */
  readonly effect?: 'read' | 'idempotent' | 'once';
  readonly onError?: 'return' | 'fail';
  /** Of one attempt. Default 2 minutes. */
  readonly timeout?: Duration;
  readonly retry?: RetryOptions;
};

const optionNames = [
  'name',
  'stdio',
  'url',
  'headers',
  'include',
  'exclude',
  'prefix',
  'approveDestructive',
  'effect',
  'onError',
  'timeout',
  'retry',
];

/**
 * Offers the tools of an MCP server to an agent. They are listed once, when a run starts, and pinned in it.
 *
 * @example
 * const agent = defineAgent({
 *   id: 'librarian',
 *   model: 'openai/gpt-6.1-terra',
 *   tools: [mcpTools({ name: 'files', stdio: { command: 'mcp-server-filesystem', args: ['/srv/library'] } })],
 * });
 */
export function mcpTools(options: McpToolsOptions): McpServer {
  const reader = new OptionReader(options, optionNames);
  const name = reader.text('name', {
    pattern: mcpServerPattern,
    rule: mcpServerRule,
    required: true,
  });
  const connection = connectionOf(reader);
  const server = {
    kind: 'mcp-server' as const,
    name: name ?? '',
    prefix: prefixOf(reader, name ?? ''),
    ...defined({
      include: namesOf(reader, 'include'),
      exclude: namesOf(reader, 'exclude'),
    }),
    rules: rulesOf(reader),
  };
  if (reader.problems.length > 0 || connection === undefined) {
    throw specError(name === undefined ? 'An MCP server' : `MCP server ${quote(name)}`, [
      ...reader.problems,
    ]);
  }
  return deepFreeze({ ...server, connection });
}

function connectionOf(reader: OptionReader): McpConnection | undefined {
  const hasUrl = reader.get('url') !== undefined;
  if (hasUrl === (reader.get('stdio') !== undefined)) {
    reader.refuse('stdio', 'or url is required, and not both');
    return undefined;
  }
  return hasUrl ? httpOf(reader) : stdioOf(reader);
}

function httpOf(reader: OptionReader): McpConnection | undefined {
  const url = reader.text('url', { rule: 'an http or https URL' }) ?? '';
  const headers = textsOf(reader, 'headers');
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return { kind: 'http', url, headers };
  }
  reader.refuse('url', `must be an http or https URL, not ${describeValue(url)}`);
  return undefined;
}

function stdioOf(reader: OptionReader): McpConnection | undefined {
  const stdio = reader.nested('stdio', ['command', 'args', 'env', 'cwd']);
  if (stdio === undefined) return undefined;
  if (reader.get('headers') !== undefined) reader.refuse('headers', 'go with a url');
  const command = stdio.text('command', { rule: 'the program to run', required: true });
  const cwd = stdio.text('cwd', { rule: 'a folder' });
  return {
    kind: 'stdio',
    command: command ?? '',
    args: listOf(stdio, 'args', true) ?? [],
    env: textsOf(stdio, 'env'),
    ...(cwd !== undefined && { cwd }),
  };
}

function rulesOf(reader: OptionReader): McpToolRules {
  return defined({
    effect: reader.choice('effect', ['read', 'idempotent', 'once']),
    onError: reader.choice('onError', ['return', 'fail']),
    timeoutMs: reader.duration('timeout'),
    // Tools with the effect `once` are tried once, whatever holds for the others.
    retry: retryOf(reader, undefined),
    approveDestructive: reader.flag('approveDestructive'),
  });
}

function prefixOf(reader: OptionReader, name: string): string {
  const prefix = reader.get('prefix');
  if (prefix === false) return '';
  const rule = { pattern: mcpServerPattern, rule: `false or ${mcpServerRule}` };
  return `${reader.text('prefix', rule) ?? name}__`;
}

function namesOf(reader: OptionReader, option: string): readonly string[] | undefined {
  return listOf(reader, option, false);
}

function listOf(
  reader: OptionReader,
  option: string,
  allowEmpty: boolean,
): readonly string[] | undefined {
  const value = reader.get(option);
  if (value === undefined) return undefined;
  const isText = (item: unknown): boolean =>
    typeof item === 'string' && (allowEmpty || item.trim() !== '');
  if (Array.isArray(value) && value.every(isText) && (allowEmpty || value.length > 0)) {
    return [...(value as string[])];
  }
  reader.refuse(option, `must be an array of texts, not ${describeValue(value)}`);
  return undefined;
}

function textsOf(reader: OptionReader, option: string): Texts {
  const value = reader.get(option);
  if (value === undefined) return {};
  if (isPlainObject(value) && Object.values(value).every((item) => typeof item === 'string')) {
    return { ...(value as Texts) };
  }
  reader.refuse(option, 'must be an object of texts');
  return {};
}
