import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mcpTools, type McpServer, type McpToolsOptions } from '../../src';
import { freePort } from '../../src/server/dev/dev-server';

const everythingProgram = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesProgram = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const oddProgram = require.resolve('../fixtures/mcp/odd-server.mjs');

type More = Partial<McpToolsOptions>;

function program(args: readonly string[], env: Record<string, string> = {}) {
  return { command: process.execPath, args, env };
}

/** The reference server with a tool of each kind. */
export function everything(more: More = {}): McpServer {
  return mcpTools({ name: 'everything', stdio: program([everythingProgram, 'stdio']), ...more });
}

/** The reference server of files, which may touch nothing outside of the folder. */
export function files(folder: string, more: More = {}): McpServer {
  return mcpTools({ name: 'files', stdio: program([filesProgram, folder]), ...more });
}

/** The server of `test/fixtures/mcp`, which does what real ones do on a bad day. */
export function odd(env: Record<string, string> = {}, more: More = {}): McpServer {
  return mcpTools({ name: 'odd', stdio: program([oddProgram], env), ...more });
}

/** It listens on every address by itself. */
const onLoopback = `
  import net from 'node:net';
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (port, ...rest) {
    return listen.call(this, port, '127.0.0.1', ...rest);
  };
`;

export type HttpServer = { readonly url: string; readonly pid: number; stop(): Promise<void> };

/** The reference server over streamable HTTP. */
export async function serveEverything(port?: number): Promise<HttpServer> {
  const own = port ?? (await freePort());
  const preload = `data:text/javascript,${encodeURIComponent(onLoopback)}`;
  const child = spawn(
    process.execPath,
    ['--import', preload, everythingProgram, 'streamableHttp'],
    {
      env: { PATH: process.env['PATH'], PORT: String(own) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes(`port ${own}`)) resolve();
    });
    child.once('exit', () => reject(new Error('the server ended before it listened')));
  });
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    pid: child.pid ?? -1,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

type Message = { id?: number; method: string; params: Record<string, never> };

/** A server over HTTP whose one tool answers with as many letters as it is told. */
export async function serveOdd(
  type: string,
  frame: (text: string) => string,
): Promise<{ server: McpServer; stop: () => Promise<void> }> {
  const http = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(
        Buffer.concat(chunks as Buffer[]).toString(),
      ) as Message;
      if (id === undefined) return response.writeHead(202).end();
      const { protocolVersion } = params;
      const serverInfo = { name: 'odd', version: '1' };
      const { length = 0 } = (params['arguments'] ?? {}) as { length?: number };
      const result =
        method === 'initialize'
          ? { protocolVersion, capabilities: { tools: {} }, serverInfo }
          : { content: [{ type: 'text', text: 'x'.repeat(length) }] };
      response.writeHead(200, { 'content-type': type });
      return response.end(frame(JSON.stringify({ jsonrpc: '2.0', id, result })));
    });
  });
  await listening(http);
  const { port } = http.address() as AddressInfo;
  const server = mcpTools({ name: 'odd', url: `http://127.0.0.1:${port}/mcp` });
  return {
    server,
    stop: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}
