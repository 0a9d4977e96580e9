// A handler of web requests behind `node:http`, as docs/http.md shows it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export function toNode(handle: (request: Request) => Promise<Response>) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
    const init = { method, headers, body, duplex: 'half', signal: gone.signal };
    try {
      const response = await handle(new Request(`http://localhost${url}`, init as RequestInit));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else await pipeline(response.body, outgoing);
    } catch {
      outgoing.destroy();
    }
  };
}
