import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNode } from 'longhaul/http';

/** Serves on a free local port. */
export async function serveHandler(
  handle: (request: Request) => Promise<Response>,
): Promise<{ server: Server; url: string }> {
  const server = createServer(toNode(handle));
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
