import type { RetrySpec, ToolSpec } from '../protocol/spec';

/** How a worker reaches an MCP server. Environment and headers may hold secrets: nothing of this enters a run. */
export type McpConnection =
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

/** What holds for all tools of a server. */
export type McpToolRules = {
  /** Of tools the server says nothing about; else `once`. */
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
  readonly connection: McpConnection;
  /** Stands before the names of its tools. */
  readonly prefix: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly rules: McpToolRules;
};
