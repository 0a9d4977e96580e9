// Runs a handler behind real `node:http` servers, and calls it as different users.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { InboxItem, PendingInput, RunSummary, TurnView } from '../../src/client';
import { type Principal, toNode } from '../../src/http';
import type { StreamEvent } from '../../src/core/stream/events';

type Handle = (request: Request) => Promise<Response>;

export type Server = { readonly url: string; close(): Promise<void> };

/** As the header `x-user` says: JSON of a principal. */
export function principalOf(request: Request): Principal | undefined {
  const header = request.headers.get('x-user');
  return header === null ? undefined : (JSON.parse(header) as Principal);
}

export const adapters = {
  node: toNode,
  hono: (handle: Handle): RequestListener => {
    const listener = getRequestListener(handle);
    return (request, response) => void listener(request, response);
  },
};

export async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the routes answer, all in one: each has some of these. */
type Body = {
  readonly workflowId: string;
  readonly code: string;
  readonly pending: readonly PendingInput[];
  readonly result?: object;
  readonly error?: object;
  readonly messages: readonly object[];
  readonly items: readonly InboxItem[];
  readonly runs: readonly RunSummary[];
  readonly threads: readonly { readonly chat: string; readonly status: string }[];
  readonly turns: readonly TurnView[];
};

export type Reply = { readonly status: number; readonly text: string; readonly body: Body };

/** Calls a server as somebody. */
export function caller(server: Server, principal: Principal) {
  const headers = { 'x-user': JSON.stringify(principal), 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object): Promise<Reply> => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body };
  };
  return {
    get: (path: string): Promise<Reply> => call('GET', path),
    post: (path: string, body?: object): Promise<Reply> => call('POST', path, body),
    /** The events of a stream, one by one, as their ids and data. The caller leaves by `break`. */
    events: (path: string, lastId?: string) =>
      sseEvents(server.url + path, { ...headers, ...(lastId && { 'last-event-id': lastId }) }),
  };
}

export type SseEvent = { readonly id: string | undefined; readonly data: StreamEvent };

async function* sseEvents(
  url: string,
  headers: Record<string, string>,
): AsyncGenerator<SseEvent, void, void> {
  const gone = new AbortController();
  const response = await fetch(url, { headers, signal: gone.signal });
  if (response.status === 204) return;
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined)
          yield { id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) as StreamEvent };
      }
    }
  } finally {
    gone.abort();
  }
}
