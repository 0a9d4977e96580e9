// Everything that is HTTP, on plain node:http: the routes of Longhaul below /api, and the page.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Longhaul } from 'longhaul/client';
import type { Deltas } from 'longhaul/stores';
import { agentHandler, toNode } from 'longhaul/http';
import { authenticate } from './people.mts';
import type { Page } from './page-files.mts';

export type WebServer = { readonly url: string; readonly close: () => Promise<void> };

export async function startWebServer(
  longhaul: Longhaul,
  { deltas, page }: { readonly deltas: Deltas; readonly page: Page },
): Promise<WebServer> {
  const api = toNode(
    agentHandler(longhaul, { agents: ['travel'], authenticate, deltas, basePath: '/api' }),
  );
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/')) api(request, response);
    else servePage(page, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function servePage(page: Page, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url, 'http://localhost');
  const file = page.get(pathname === '/' ? '/index.html' : pathname);
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': file.type }).end(file.content);
}
