// A tool whose result comes by webhook, in seconds or in days. Nothing runs until then.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { defineAgent, defineTool, LonghaulError, type Json } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

// What the other service was told. It knows no run: the token is all that it has.
const tokens: string[] = [];

const exportOrders = defineTool({
  name: 'export_orders',
  description: 'Exports all orders of a year',
  inputSchema: z.object({ year: z.int() }),
  result: 'later',
  resultSchema: z.object({ url: z.url() }),
  resultTimeout: '2 days', // then the model reads an error
  execute: (_args, { resultToken }) => void tokens.push(resultToken),
});

const clerk = defineAgent({ id: 'clerk', model: 'openai/gpt-6.1-terra', tools: [exportOrders] });

const model = scriptedModel([
  { toolCalls: [{ name: 'export_orders', args: { year: 2026 } }] },
  'Your export is ready.',
]);

export default { runners: [clerk], providers: { openai: model } } satisfies CreateWorkerOptions;

async function receive(longhaul: Longhaul, request: IncomingMessage): Promise<number> {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
  try {
    await longhaul.completeByToken(token, (await json(request)) as Json);
    return 204;
  } catch (error) {
    return LonghaulError.is(error) && error.retryable ? 503 : 400; // 503: send it again
  }
}

export async function main(longhaul: Longhaul) {
  const run = await longhaul.start(clerk, 'Export the orders of 2026');
  await run.outcome(); // it waits now, and needs no worker for that

  const server = createServer((request, response) => {
    void receive(longhaul, request).then((status) => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = { method: 'POST', body: '{"url":"https://files.example.com/2026.csv"}' };
  const send = async (token = '') =>
    (await fetch(url, { ...post, headers: { authorization: `Bearer ${token}` } })).status;
  // A guess learns nothing about any run. What comes twice counts once.
  const statuses = [await send('guess'), await send(tokens[0]), await send(tokens[0])];
  server.close();
  return { statuses, answer: (await run.result()).finalResponse.text };
}
