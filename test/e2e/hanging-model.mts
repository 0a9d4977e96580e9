import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A connection of a model call that got one word and waits for more. */
export type HangingCall = { readonly closed: Promise<void> };

/** An OpenAI-compatible server that calls the tool of a request that has one, and never ends its answer to the others. */
export class HangingModel {
  url = '';
  #onCall: (call: HangingCall) => void = () => undefined;
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => this.#answer(body, response));
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next call that hangs. */
  async next(): Promise<HangingCall> {
    return await new Promise((resolve) => (this.#onCall = resolve));
  }

  #answer(body: string, response: ServerResponse): void {
    const { tools = [] } = JSON.parse(body) as { tools?: { function: { name: string } }[] };
    const [tool] = tools;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (tool === undefined) {
      response.write(frame({ content: 'word ' }));
      const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
      return this.#onCall({ closed });
    }
    const args = JSON.stringify({ input: 'Go.' });
    const call = { index: 0, id: 'call_1', type: 'function' };
    response.write(
      frame({ tool_calls: [{ ...call, function: { name: tool.function.name, arguments: args } }] }),
    );
    response.end(`${frame({}, 'tool_calls')}data: [DONE]\n\n`);
  }
}

function frame(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'double' };
  return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
}
