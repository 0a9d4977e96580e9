// Where everything outside of the workers passes: model calls, and the moments at which workers are.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Moment } from './plan.mts';

/** A worker's process is at a moment; it waits there until it is answered. */
export type Arrival = {
  readonly pid: number;
  readonly moment: Moment;
  /** The tree or thread on whose behalf. */
  readonly owner: string;
  /** The place of an effect. */
  readonly place?: string;
};

/** What a worker is told at a moment: to go on, to fail, or to wait first. */
export type Verdict = { readonly fails?: boolean; readonly waitsMs?: number };

export type Hub = { readonly url: string; close(): Promise<void> };

export type ModelCall = { readonly pid: number; readonly body: unknown };

export type HubHandlers = {
  readonly arrive: (arrival: Arrival) => Promise<Verdict>;
  /** Answers a request of the model API. */
  readonly callModel: (call: ModelCall, response: ServerResponse) => Promise<void>;
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
  { arrive, callModel }: HubHandlers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (request.url === '/arrive') {
    response.end(JSON.stringify(await arrive(body as Arrival)));
    return;
  }
  await callModel({ pid: Number(request.headers['x-pid']), body }, response);
}
