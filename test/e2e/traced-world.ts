import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Said = {
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, args: object])[];
};

type WireRequest = {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
};

export const usageOfCall = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/**
 * A model provider that speaks OpenAI's protocol, and the world that tools act on. It counts all that reaches it. What is told to hang
 * hangs once, until the worker is gone; what is told to fail fails once.
 */
export class TracedWorld {
  /** The names of models and tools, one for each request that came. */
  readonly models: string[] = [];
  readonly tools: string[] = [];
  url = '';
  readonly #scripts: ReadonlyMap<string, readonly Said[]>;
  readonly #hanging = new Set<string>();
  readonly #failing = new Set<string>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(scripts: Readonly<Record<string, readonly Said[]>>) {
    this.#scripts = new Map(Object.entries(scripts));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  hang(...names: readonly string[]): void {
    for (const name of names) this.#hanging.add(name);
  }

  fail(name: string): void {
    this.#failing.add(name);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const tool = /^\/tools\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (tool === undefined) return this.#answerModel(JSON.parse(body) as WireRequest, response);
    this.tools.push(tool);
    if (!this.#hanging.delete(tool)) response.end('{}');
  }

  #answerModel({ model, messages }: WireRequest, response: ServerResponse): void {
    this.models.push(model);
    if (this.#hanging.delete(model)) return;
    if (this.#failing.delete(model)) return void response.writeHead(503).end('{}');
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const said = this.#scripts.get(model)?.[turn];
    if (said === undefined) return void response.writeHead(400).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const { text, calls = [] } = said;
    const delta = { role: 'assistant', ...(text !== undefined && { content: text }) };
    const asked = calls.map(([name, args], index) => ({
      index,
      id: `call_${model}_${turn}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const reason = asked.length > 0 ? 'tool_calls' : 'stop';
    const whole = { ...delta, ...(asked.length > 0 && { tool_calls: asked }) };
    response.write(frame({ choices: [{ index: 0, delta: whole, finish_reason: null }] }));
    response.write(frame({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }));
    response.end(`${frame({ choices: [], usage: usageOfCall })}data: [DONE]\n\n`);
  }
}

function frame(data: object): string {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'double' };
  return `data: ${JSON.stringify({ ...chunk, ...data })}\n\n`;
}
