import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mcpTools, type McpServer, type McpToolsOptions } from '../../src';
import { freePort } from '../../src/server/free-port';

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
