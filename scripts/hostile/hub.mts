// What is outside of the workers: the model, the bank, and where tools say what they did.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Effect } from './agents.mts';

export type Hub = { readonly url: string; close(): Promise<void> };

export type HubHandlers = {
  readonly tell: (effect: Effect) => Promise<void>;
  readonly callModel: (body: unknown, response: ServerResponse) => Promise<void>;
};

export async function openHub(handlers: HubHandlers): Promise<Hub> {
  const server = createServer((request, response) => {
    void serve(handlers, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  { tell, callModel }: HubHandlers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (request.url !== '/effect') return await callModel(body, response);
  await tell(body as Effect);
  response.end('{}');
}
