import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Turn = {
  readonly words: number;
  readonly call?: readonly [name: string, args: object];
};

type WireMessage = { readonly role: string; readonly content: string };
type WireRequest = { readonly model: string; readonly messages: readonly WireMessage[] };

/** What each conversation says, turn by turn. `name` is the last word of the user's message: it tells scenarios apart. */
function turnsOf(conversation: string, name: string): readonly Turn[] {
  if (conversation === 'Thanks') return [{ words: 20 }];
  if (conversation === 'Ask')
    return [{ words: 3, call: ['ask_user', { question: 'Which?' }] }, { words: 3 }];
  if (conversation === 'Long')
    return [
      ...Array<Turn>(10).fill({ words: 40, call: ['look_up', { word: 'oak' }] }),
      { words: 3 },
    ];
  if (conversation === 'Book')
    return [{ words: 10, call: ['book', { seat: '12A' }] }, { words: 10 }];
  return [
    { words: 25, call: ['look_up', { word: 'oak' }] },
    { words: 30, call: ['charge', { amount: 5 }] },
    { words: 20, call: ['ask_user', { question: 'Which colour?', options: ['red', 'blue'] }] },
    { words: 20, call: ['clerk', { input: `Book ${name}` }] },
    { words: 40 },
  ];
}

/** The names of the conversations in the marks of their words. */
const letters: Readonly<Record<string, string>> = {
  Plan: 'h',
  Book: 'c',
  Thanks: 't',
  Ask: 'a',
  Long: 'l',
};

/** After so many words, an attempt that hangs says nothing more. */
export const wordsBeforeHanging = 20;

/**
 * An OpenAI-compatible server that streams word by word. Each word is `<conversation><turn>.<attempt>.<number>→`, so that a reader can tell
 * the words of a lost attempt from those of the next.
 */
export class SlowModel {
  url = '';
  readonly #wordMs: number;
  readonly #asked = new Map<string, number>();
  readonly #hanging = new Set<string>();
  readonly #server: Server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  constructor(wordMs: number) {
    this.#wordMs = wordMs;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The first attempt at `h1`, the turn 1 of a plan, hangs in mid-text in this scenario. */
  hang(name: string, turn: string): void {
    this.#hanging.add(`${name} ${turn}`);
  }

  /** How often it was asked for a turn. */
  asked(name: string, turn: string): number {
    return this.#asked.get(`${name} ${turn}`) ?? 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { messages } = JSON.parse(body) as WireRequest;
    const from = messages.findLastIndex(({ role }) => role === 'user');
    const [conversation = '', name = ''] = messages[from]?.content.split(' ') ?? [];
    const number = messages.slice(from).filter(({ role }) => role === 'assistant').length;
    const turn = turnsOf(conversation, name)[number];
    if (turn === undefined) return void response.writeHead(400).end();
    const place = `${letters[conversation]}${number}`;
    const key = `${name} ${place}`;
    const attempt = this.asked(name, place) + 1;
    this.#asked.set(key, attempt);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let word = 0; word < turn.words; word += 1) {
      if (word === wordsBeforeHanging && this.#hanging.delete(key)) return;
      response.write(frame({ content: `${place}.${attempt}.${word}→ ` }));
      await sleep(this.#wordMs);
    }
    for (const delta of callDeltas(turn)) response.write(frame(delta));
    response.end(`${frame({}, turn.call ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
  }
}

/** The arguments come in two pieces. */
function callDeltas({ call }: Turn): readonly object[] {
  if (call === undefined) return [];
  const [name, args] = call;
  const text = JSON.stringify(args);
  const start = { index: 0, id: `call_${name}`, type: 'function' };
  return [
    { tool_calls: [{ ...start, function: { name, arguments: text.slice(0, 5) } }] },
    { tool_calls: [{ index: 0, function: { arguments: text.slice(5) } }] },
  ];
}

function frame(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'slow' };
  return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
}
