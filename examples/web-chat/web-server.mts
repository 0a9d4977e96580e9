// Everything that is HTTP, on plain node:http: the routes of Longhaul below /api, and the page.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Longhaul } from 'longhaul/client';
import type { Deltas } from 'longhaul/deltas';
import { agentHandler } from 'longhaul/http';
import { authenticate } from './people.mts';
import type { Page } from './page-files.mts';

export type WebServer = { readonly url: string; readonly close: () => Promise<void> };

export async function startWebServer(
  longhaul: Longhaul,
  { deltas, page }: { readonly deltas: Deltas; readonly page: Page },
): Promise<WebServer> {
  const api = agentHandler(longhaul, {
    agents: ['travel'],
    authenticate,
    deltas,
    basePath: '/api',
  });
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/')) void answerWith(api, request, response);
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

/** The handler speaks the web's `Request` and `Response`. When the browser goes away, the signal tells it. */
async function answerWith(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const request = new Request(new URL(url, 'http://localhost'), {
    method,
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  });
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => undefined);
}

function servePage(page: Page, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url, 'http://localhost');
  const file = page.get(pathname === '/' ? '/index.html' : pathname);
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': file.type }).end(file.content);
}
