// The world outside of all versions: the model, the list of effects, gates that hold a call, and the tokens of calls whose result comes later.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';
import { roundsOf } from './rounds.mts';

export type Effect = { readonly what: string; readonly key: string };

/** Of one model call. */
const tokensOfCall = 15;

export class Hub {
  readonly effects: Effect[] = [];
  readonly tokens = new Map<string, string>();
  url = '';
  modelUrl = '';
  readonly #held = new Map<string, Set<() => void>>();
  readonly #open = new Set<string>();
  readonly #model = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  readonly #server: Server = createServer((request, response) => {
    this.#take(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  static async start(): Promise<Hub> {
    const hub = new Hub();
    hub.#model.on({ predicate: () => true }, (request) => hub.#answer(request));
    hub.modelUrl = `${await hub.#model.start()}/v1`;
    await new Promise<void>((resolve) => hub.#server.listen(0, '127.0.0.1', resolve));
    hub.url = `http://127.0.0.1:${(hub.#server.address() as AddressInfo).port}`;
    return hub;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#model.stop();
  }

  /** Whether a call is held at the gate of this name. */
  isHeld(name: string): boolean {
    return (this.#held.get(name)?.size ?? 0) > 0;
  }

  /** Lets the held calls go on, and those that come later. */
  open(name: string): void {
    this.#open.add(name);
    for (const release of this.#held.get(name) ?? []) release();
  }

  async #pass(name: string): Promise<void> {
    if (this.#open.has(name)) return;
    const held = this.#held.get(name) ?? new Set();
    this.#held.set(name, held);
    await new Promise<void>((resolve) => held.add(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = JSON.parse((await text(request)) || '{}');
    const { what } = body as { readonly what: string };
    if (request.url === '/gate') await this.#pass(tagOf(what));
    if (request.url === '/effect') this.effects.push(body as Effect);
    if (request.url === '/token')
      this.tokens.set(tagOf(what), (body as { readonly token: string }).token);
    response.end(this.tokens.get(tagOf(what)));
  }

  /** Says what is next by what has been said: it remembers nothing. */
  async #answer({ model, messages }: ChatCompletionRequest): Promise<FixtureResponse> {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: tokensOfCall };
    const said = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => spoken(content));
    const user = said.at(-1) ?? '';
    const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const step = since.filter(({ role }) => role === 'assistant').length;
    if (model === 'slow' && step === 1) await this.#pass(tagOf(user));
    const round = roundsOf(model, user)[step];
    if (round !== undefined) {
      const toolCalls = round.map(({ name, args }, index) => {
        return { id: `${model}_${step}_${index}`, name, arguments: JSON.stringify(args) };
      });
      return { toolCalls, usage };
    }
    const results = since
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => spoken(content));
    const heard = said.map((one) => one.split(' ').slice(1).join(' ')).filter(Boolean);
    const after = heard.length === 0 ? '' : ` after ${heard.join(', ')}`;
    return { content: `${model}: ${results.join(', ')}${after}`, usage };
  }
}

/** The first word of what is said in a case names it. */
const tagOf = (what: string): string => what.split(' ')[0] ?? '';

const spoken = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);
