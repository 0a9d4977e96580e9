// One connection to an MCP server: a child process or an HTTP session. Knows no run and no retry.

import { createRequire } from 'node:module';
import type * as clientModule from '@modelcontextprotocol/sdk/client/index.js';
import type * as stdioModule from '@modelcontextprotocol/sdk/client/stdio.js';
import type * as httpModule from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type * as typesModule from '@modelcontextprotocol/sdk/types.js';
import { SpecError } from '../../protocol/error-classes';
import type { McpConnection as McpAddress, McpServer } from '../../spec/mcp-server';
import type { ListedMcpTool } from '../../spec/mcp-tool-spec';
import { McpUnavailable, reasonOf } from './mcp-failure';

const connectTimeoutMs = 50_000;
const pingTimeoutMs = 5_000;
const mostPages = 100;
const mostTools = 5_000;
const keptOutput = 2_000;

type Client = clientModule.Client;
type Transport = stdioModule.StdioClientTransport | httpModule.StreamableHTTPClientTransport;
type Sdk = typeof clientModule & typeof stdioModule & typeof httpModule & typeof typesModule;

const modules = ['client/index.js', 'client/stdio.js', 'client/streamableHttp.js', 'types.js'];
const load = createRequire(__filename);
let sdk: Sdk | undefined;

/** Loaded with the first server: most workers have none. */
function loadSdk(): Sdk {
  if (sdk !== undefined) return sdk;
  const loaded = modules.map((module) => load(`@modelcontextprotocol/sdk/${module}`) as object);
  return (sdk = Object.assign({}, ...loaded) as Sdk);
}

export class McpConnection {
  readonly #name: string;
  readonly #client: Client;
  readonly #transport: Transport;
  #closed = false;

  private constructor(name: string, client: Client, transport: Transport) {
    this.#name = name;
    this.#client = client;
    this.#transport = transport;
    client.onclose = () => (this.#closed = true);
  }

  static async open(server: McpServer): Promise<McpConnection> {
    const client = new (loadSdk().Client)({ name: 'longhaul', version: '1' });
    const { transport, output } = transportTo(server.connection);
    const connection = new McpConnection(server.name, client, transport);
    try {
      await client.connect(transport, { timeout: connectTimeoutMs });
      return connection;
    } catch (error) {
      await connection.close();
      throw new McpUnavailable(server.name, `${reasonOf(error)}${output()}`, {
        cause: error,
        sent: false,
      });
    }
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Of the child process, while it runs. */
  get pid(): number | undefined {
    return 'pid' in this.#transport ? (this.#transport.pid ?? undefined) : undefined;
  }

  async listTools(signal: AbortSignal): Promise<ListedMcpTool[]> {
    const tools: typesModule.Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages && tools.length <= mostTools; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // Not the client's own method, which compiles the output schemas it is sent.
      const result = await this.#client.request(
        { method: 'tools/list', params },
        loadSdk().ListToolsResultSchema,
        { signal, timeout: connectTimeoutMs },
      );
      tools.push(...result.tools);
      cursor = result.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new SpecError(
      `MCP server '${this.#name}' lists more than ${mostTools} tools, or never ends`,
    );
  }

  async callTool(
    params: { readonly name: string; readonly arguments: Record<string, unknown> },
    options: RequestOptions,
  ): Promise<typesModule.CallToolResult> {
    return await this.#client.request(
      { method: 'tools/call', params: { ...params } },
      loadSdk().CallToolResultSchema,
      options,
    );
  }

  async answers(): Promise<boolean> {
    try {
      await this.#client.ping({ timeout: pingTimeoutMs });
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.#client.close();
    } catch {
      // It is gone already, which is what was asked for.
    }
  }

  /** For the last moment of this process, when nothing can be awaited. */
  kill(): void {
    const { pid } = this;
    if (pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

function transportTo(address: McpAddress): { transport: Transport; output: () => string } {
  const { StdioClientTransport, StreamableHTTPClientTransport } = loadSdk();
  if (address.kind === 'http') {
    const requestInit = { headers: { ...address.headers } };
    const transport = new StreamableHTTPClientTransport(new URL(address.url), { requestInit });
    return { transport, output: () => '' };
  }
  const { kind: _kind, args, env, ...rest } = address;
  const options = { ...rest, args: [...args], env: { ...env }, stderr: 'pipe' as const };
  const transport = new StdioClientTransport(options);
  let output = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput);
  });
  return { transport, output: () => (output.trim() === '' ? '' : `; it said: ${output.trim()}`) };
}
