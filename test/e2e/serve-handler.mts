// Mounts a handler of web requests in plain node:http.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

type Handler = (request: Request) => Promise<Response>;

/** Serves on a free local port. */
export async function serveHandler(handle: Handler): Promise<{ server: Server; url: string }> {
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    void handle(requestOf(incoming, gone.signal)).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) return void outgoing.end();
      const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
      await pipeline(body, outgoing).catch(() => undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
  return new Request(new URL(url, `http://${headers.host}`), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    signal,
    ...body,
  } as RequestInit);
}
