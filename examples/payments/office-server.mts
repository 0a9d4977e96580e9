import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Returns the status of the response. */
export type Route = (body: unknown, request: IncomingMessage) => Promise<number> | number;

/** A small server for JSON on 127.0.0.1. Routes may come later. */
export class OfficeServer {
  readonly url: string;
  readonly #server: Server;
  readonly #routes = new Map<string, Route>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      void this.#answer(request).then((status) => response.writeHead(status).end());
    });
  }

  static async open(): Promise<OfficeServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OfficeServer(server);
  }

  route(path: string, route: Route): void {
    this.#routes.set(path, route);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage): Promise<number> {
    const route = this.#routes.get(request.url ?? '');
    if (route === undefined || request.method !== 'POST') return 404;
    try {
      return await route(await json(request), request);
    } catch {
      return 500;
    }
  }
}

/** Throws if the server does not take it. */
export async function post(url: string, body: unknown, headers: object = {}): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
