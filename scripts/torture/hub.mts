// Where everything outside of the workers passes: model calls, and the moments at which workers are.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActivityName, Moment } from './plan.mts';
import { inputSchema } from './runners.mts';
import type { ToolArguments } from './texts.mts';

/** A worker's process is at a moment; it waits there until it is answered. */
export type Arrival = {
  readonly pid: number;
  readonly moment: Moment;
  /** The tree or thread on whose behalf. */
  readonly owner: string;
  /** The place of an effect. */
  readonly place?: string;
  /** The activity that begins or is done: one of Longhaul's. */
  readonly activity?: ActivityName;
};

/** What a worker is told at a moment: to go on, to fail, or to wait first. */
export type Verdict = { readonly fails?: boolean; readonly waitsMs?: number };

export type Hub = { readonly url: string; close(): Promise<void> };

export type ModelCall = { readonly pid: number; readonly body: unknown };

export type McpCall = {
  readonly pid: number;
  readonly args: ToolArguments;
  readonly key: string;
};

export type LaterCall = { readonly place: string; readonly token: string };

export type HubHandlers = {
  readonly arrive: (arrival: Arrival) => Promise<Verdict>;
  /** Calls a tool of the MCP server; its result. */
  readonly callMcp: (call: McpCall) => Promise<object>;
  /** A call's result is to be given by this token. */
  readonly later: (call: LaterCall) => void;
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
  { arrive, callModel, callMcp, later }: HubHandlers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const pid = Number(request.headers['x-pid']);
  if (request.url === '/mcp') return await serveMcp(callMcp, { pid, request, response, chunks });
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (request.url === '/arrive') {
    response.end(JSON.stringify(await arrive(body as Arrival)));
    return;
  }
  if (request.url === '/later') {
    later(body as LaterCall);
    response.end();
    return;
  }
  await callModel({ pid, body }, response);
}

export type McpMessage = {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly arguments?: ToolArguments;
    readonly _meta?: { readonly [name: string]: unknown };
  };
};

/** As much of streamable HTTP as a server needs that keeps no sessions and sends nothing by itself. */
async function serveMcp(
  callMcp: HubHandlers['callMcp'],
  { pid, request, response, chunks }: McpRequest,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(Buffer.concat(chunks).toString()) as McpMessage;
  const answer = await answerMcp(callMcp, pid, message);
  if (answer === undefined) response.writeHead(202).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Undefined for a message that gets no answer. */
export async function answerMcp(
  callMcp: HubHandlers['callMcp'],
  pid: number,
  { id, method, params = {} }: McpMessage,
): Promise<object | undefined> {
  if (id === undefined) return undefined;
  const result = async (): Promise<object> => {
    if (method === 'initialize') return { ...mcpServer, protocolVersion: params.protocolVersion };
    if (method === 'tools/list') return { tools: [pictureTool] };
    if (method !== 'tools/call' || params.arguments === undefined) return {};
    const key = String(params._meta?.['longhaul/idempotencyKey']);
    return await callMcp({ pid, args: params.arguments, key });
  };
  return { jsonrpc: '2.0', id, result: await result() };
}

type McpRequest = {
  readonly pid: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly chunks: readonly Buffer[];
};

const mcpServer = {
  capabilities: { tools: {} },
  serverInfo: { name: 'pictures', version: '1' },
};

const pictureTool = {
  name: 'picture',
  description: 'Does a picture',
  inputSchema,
  annotations: { idempotentHint: true, destructiveHint: false },
};
