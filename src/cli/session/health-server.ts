import { createServer } from 'node:http';
import { UsageError } from '../cli-error';
import { parsePort } from './parse-options';

export type HealthAddress = { readonly host: string; readonly port: number };

/** `8090` or `0.0.0.0:8090`. A port alone is reachable from this machine only. */
export function parseHealthAddress(text: string): HealthAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  if (port === '') throw new UsageError(`'${text}' is no address: give a port, or host:port`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: parsePort(port) };
}

/**
 * Answers each request with 200 while the worker takes work, else with 503, for as long as the process is there. Rejects when the
 * port is taken.
 */
export async function serveHealth(
  { host, port }: HealthAddress,
  state: () => string,
): Promise<void> {
  const server = createServer((_, response) => {
    const status = state();
    response.writeHead(status === 'RUNNING' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ status })}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new UsageError(`--health: cannot listen on ${host}:${port}: ${error.code}`)),
    );
    server.listen(port, host, resolve);
  });
  server.unref();
}
