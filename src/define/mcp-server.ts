import type { RetrySpec, ToolSpec } from '../protocol';

/** How a worker reaches an MCP server. It may hold secrets, so no part enters a run. */
export type McpTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
      readonly cwd?: string;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
    };

/** Rules for all tools of a server. */
export type McpToolRules = {
  /** The effect of tools that the server gives no hint about. Default `once`. */
  readonly effect?: NonNullable<ToolSpec['effect']>;
  readonly onError?: 'return' | 'fail';
  readonly timeoutMs?: number;
  readonly retry?: RetrySpec;
  readonly approveDestructive?: boolean;
};

/** The tools of an MCP server, listed when a run starts. Made by `mcpTools`. */
export type McpServer = {
  readonly kind: 'mcp-server';
  readonly name: string;
  readonly connection: McpTransport;
  /** The prefix of its tools' names. */
  readonly prefix: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly rules: McpToolRules;
};
