// One connection to an MCP server: a child process or an HTTP session. Knows no run and no retry.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { LonghaulError } from '../../protocol/errors';
import type { McpServer } from '../../define/mcp-server';
import type { ListedMcpTool } from '../../define/mcp-tool-spec';
import { McpUnavailable } from './mcp-failure';
import { loadMcpSdk } from './mcp-sdk';

/** Of one message of a server. */
const mostMessageBytes = 4 * 1024 * 1024;

const connectTimeoutMs = 50_000;

const pingTimeoutMs = 5_000;

const mostPages = 100;

const mostTools = 5_000;

const mostListedBytes = 8 * 1024 * 1024;

const keptOutput = 2_000;

type Transport = StdioClientTransport | StreamableHTTPClientTransport;

export class McpConnection {
  readonly #name: string;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #output: () => string;
  #closed = false;
  #fault: Error | undefined;

  private constructor(server: McpServer, client: Client) {
    const { transport, output } = transportTo(server);
    this.#name = server.name;
    this.#client = client;
    this.#transport = transport;
    this.#output = output;
    client.onclose = () => (this.#closed = true);
    client.onerror = (error) => {
      if (!isTooLarge(error)) return;
      this.#fault = tooLarge();
      void this.close();
    };
  }

  static async open(server: McpServer): Promise<McpConnection> {
    const client = new (loadMcpSdk().Client)({ name: 'longhaul', version: '1' });
    const connection = new McpConnection(server, client);
    try {
      await client.connect(connection.#transport, { timeout: connectTimeoutMs });
      return connection;
    } catch (error) {
      await connection.close();
      const { fault = error, said } = connection;
      throw new McpUnavailable(server, { cause: fault, sent: false, said });
    }
  }

  /** Why this connection was closed from here. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The last of what the child process wrote on its standard error. */
  get said(): string {
    return this.#output().trim();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Of the child process, while it runs. */
  get pid(): number | undefined {
    return 'pid' in this.#transport ? (this.#transport.pid ?? undefined) : undefined;
  }

  async listTools(signal: AbortSignal): Promise<ListedMcpTool[]> {
    const tools: ListedMcpTool[] = [];
    let cursor: string | undefined;
    let bytes = 0;
    for (
      let page = 0;
      page < mostPages && tools.length <= mostTools && bytes <= mostListedBytes;
      page += 1
    ) {
      const params = cursor === undefined ? {} : { cursor };
      // Not the client's own method, which compiles the output schemas it is sent and lets one bad tool spoil the list.
      const result = await this.#client.request(
        { method: 'tools/list', params },
        loadMcpSdk().PaginatedResultSchema,
        { signal, timeout: connectTimeoutMs },
      );
      const listed = Array.isArray(result['tools']) ? (result['tools'] as unknown[]) : [];
      bytes += JSON.stringify(listed).length;
      tools.push(...listed.map(asTool));
      cursor = result.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new LonghaulError(
      'SpecError',
      `MCP server '${this.#name}' lists more than ${mostTools} tools or ${mostListedBytes / 1024 ** 2} MiB, or never ends`,
    );
  }

  async callTool(
    params: {
      readonly name: string;
      readonly arguments: Record<string, unknown>;
      readonly _meta?: Record<string, unknown>;
    },
    options: RequestOptions,
  ): Promise<CallToolResult> {
    return await this.#client.request(
      { method: 'tools/call', params: { ...params } },
      loadMcpSdk().CallToolResultSchema,
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

/** A tool that is none stays in the list, with what is wrong with it. */
function asTool(listed: unknown): ListedMcpTool {
  const { success, data, error } = loadMcpSdk().ToolSchema.safeParse(listed);
  if (success) return data;
  const { name } = (listed ?? {}) as { readonly name?: unknown };
  const [issue] = error.issues;
  const fault = `is no tool: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  return { name: typeof name === 'string' ? name : '', inputSchema: {}, fault };
}

/** The one says it in its own words, the other as the cause of an error of `fetch`. */
function isTooLarge(error: Error): boolean {
  return /exceeded maximum size|sent a message of more than/.test(
    `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`,
  );
}

function transportTo({ connection: address }: McpServer): {
  transport: Transport;
  output: () => string;
} {
  const sdk = loadMcpSdk();
  if (address.kind === 'http') {
    const requestInit = { headers: { ...address.headers } };
    // It follows redirects within the origin only: credentials go nowhere else.
    const options = { requestInit, fetch: boundedFetch };
    const transport = new sdk.StreamableHTTPClientTransport(new URL(address.url), options);
    return { transport, output: () => '' };
  }
  const { kind: _kind, args, env, ...rest } = address;
  const stderr = 'pipe' as const;
  const maxBufferSize = mostMessageBytes;
  const options = { ...rest, args: [...args], env: { ...env }, stderr, maxBufferSize };
  const transport = new sdk.StdioClientTransport(options);
  let output = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-keptOutput);
  });
  return { transport, output: () => output };
}

/** `fetch` for MCP over HTTP, whose answers end with an error where a message, or what is no stream of messages, is too large. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes > mostMessageBytes) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

function tooLarge(): LonghaulError {
  return new LonghaulError(
    'PayloadTooLarge',
    `it sent a message of more than ${mostMessageBytes / 1024 ** 2} MiB`,
  );
}

/** Where the last event in a piece of a stream ends, with its empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
}
