// One connection to an MCP server: a child process or an HTTP session. It does not know runs and does not retry.

import type * as clientModule from '@modelcontextprotocol/sdk/client/index.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type * as stdioModule from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type * as httpModule from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type * as typesModule from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { loadPeer, LonghaulError } from '../../protocol';
import type { ListedMcpTool, McpServer } from '../../define';
import { McpUnavailable } from './mcp-failure';
import { createRequire } from 'node:module';

const name = '@modelcontextprotocol/sdk';

const modules = ['client/index.js', 'client/stdio.js', 'client/streamableHttp.js', 'types.js'];

const load = createRequire(__filename);

let sdk: Sdk | undefined;

/** The largest message that a server may send. */
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

  /** Why this side closed the connection. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The last output of the child process on its standard error. */
  get said(): string {
    return this.#output().trim();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The process id of the child process, while it runs. */
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
      // The client's own method compiles all output schemas, so one bad tool would spoil the whole list.
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
      // The connection is closed already.
    }
  }

  /** Ends the child process at once, for an exit of this process that cannot wait. */
  kill(): void {
    const { pid } = this;
    if (pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The child process has ended already.
    }
  }
}

/** An invalid tool stays in the list, with its problem. */
function asTool(listed: unknown): ListedMcpTool {
  const { success, data, error } = loadMcpSdk().ToolSchema.safeParse(listed);
  if (success) return data;
  const { name } = (listed ?? {}) as { readonly name?: unknown };
  const [issue] = error.issues;
  const fault = `is no tool: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  return { name: typeof name === 'string' ? name : '', inputSchema: {}, fault };
}

/** The stdio client throws this error itself; over HTTP it is the cause of an error of `fetch`. */
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
    // Follows redirects only within the origin, so that credentials go nowhere else.
    const options = { requestInit, fetch: fetchMcp };
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

/** `fetch` for MCP over HTTP. It fails when a message, or an answer that is not a stream, is too large. */
async function fetchMcp(url: string | URL, init?: RequestInit): Promise<Response> {
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

/** The end of the last event in a chunk of a stream, with its empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
}

type Sdk = typeof clientModule & typeof stdioModule & typeof httpModule & typeof typesModule;

/** Loads the SDK for the first server. Most workers do not need it. */
function loadMcpSdk(): Sdk {
  return (sdk ??= loadPeer(name, () => {
    const loaded = modules.map((module) => load(`${name}/${module}`) as object);
    return Object.assign({}, ...loaded) as Sdk;
  }));
}

/** Throws `PackageMissing` if the SDK is not installed. Does not load it. */
export function requireMcpSdk(): void {
  loadPeer(name, () => load.resolve(`${name}/types.js`));
}
