// A double of four model APIs with a small window. It counts tokens, refuses a prompt that is too long with the API's own error, refuses
// what the API refuses (strict-rules.mts), and measures how much of each prompt the API would have had in its cache.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dialect, refusalOf, sealOf, type Wire } from './strict-rules.mts';

/** One request, as the provider sees it. `shared`: bytes at its start that the turn before it had, too. */
export type Measured = {
  readonly kind: 'turn' | 'summary';
  readonly tokens: number;
  readonly bytes: number;
  readonly shared: number;
  readonly refusal?: string;
  readonly body: Wire;
};

type Script = {
  readonly window: number;
  /** How many turns call tools before the model answers. */
  readonly rounds: number;
  /** Says what a tool-less request gets: a summary. */
  readonly summary?: string;
};

type Turn = {
  readonly number: number;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: Wire }[];
};

const bytesPerToken = 4;

export class StrictProvider {
  readonly requests: Measured[] = [];
  url = '';
  readonly #script: Script;
  readonly #server: Server;
  #turns = 0;
  #replies = 0;
  #before = '';

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(script: Script): Promise<StrictProvider> {
    const provider = new StrictProvider(script);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    provider.url = `http://127.0.0.1:${(provider.#server.address() as AddressInfo).port}`;
    return provider;
  }

  /** The settings of a worker's provider that speaks to this double. */
  config(dialect: Dialect): { api: Dialect; apiKey: string; baseURL: string } {
    const baseURL = dialect.startsWith('openai') ? `${this.url}/v1` : this.url;
    return { api: dialect, apiKey: 'key-of-the-double', baseURL };
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Wire;
    const dialect = dialectOf(request.url ?? '');
    const prompt = promptOf(body);
    const tokens = Math.ceil(Buffer.byteLength(prompt) / bytesPerToken);
    const refusal = refusalOf(dialect, body);
    const isTooLong = tokens > this.#script.window;
    this.#measure(prompt, tokens, body, isTooLong ? 'too long' : refusal);
    if (isTooLong) return this.#refuse(response, tooLong[dialect](tokens, this.#script.window));
    if (refusal !== undefined) return this.#refuse(response, errorOf(dialect, refusal));
    const frames = framesOf[dialect](this.#reply(body), tokens);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      frames.map(frameOf).join('') + (dialect === 'openai-chat' ? 'data: [DONE]\n\n' : ''),
    );
  }

  #measure(prompt: string, tokens: number, body: Wire, refusal: string | undefined): void {
    const kind = hasTools(body) ? 'turn' : 'summary';
    const shared = kind === 'turn' ? sharedPrefix(this.#before, prompt) : 0;
    if (kind === 'turn' && refusal === undefined) this.#before = prompt;
    const bytes = Buffer.byteLength(prompt);
    const problem = refusal !== undefined && { refusal };
    this.requests.push({ kind, tokens, bytes, shared, ...problem, body });
  }

  #reply(body: Wire): Turn {
    this.#replies += 1;
    const number = this.#replies;
    const thinking = `Step ${number}: what do I know, and what is still missing?`;
    if (!hasTools(body)) {
      const text = this.#script.summary ?? 'Pages were read, nothing is decided yet. '.repeat(10);
      return { number, thinking, text, calls: [] };
    }
    this.#turns += 1;
    if (this.#turns > this.#script.rounds)
      return { number, thinking, text: 'All read.', calls: [] };
    // Every third turn calls two tools at a time.
    const calls = Array.from({ length: number % 3 === 0 ? 2 : 1 }, (_, index) => ({
      id: `call_${number}_${index}`,
      name: 'read_page',
      args: { page: number * 10 + index },
    }));
    return { number, thinking, text: number % 2 === 0 ? `I read on (${number}).` : '', calls };
  }

  #refuse(response: ServerResponse, body: Wire): void {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

function dialectOf(path: string): Dialect {
  if (path.includes('/responses')) return 'openai-responses';
  if (path.includes('/chat/completions')) return 'openai-chat';
  return path.includes('/messages') ? 'anthropic-messages' : 'google-generate-content';
}

/** What counts as the prompt, in the order in which the APIs cache it. Markers of caches are no part of it. */
function promptOf(body: Wire): string {
  const { tools, system, systemInstruction, instructions, input, messages, contents } = body;
  const prompt = [
    tools,
    system ?? systemInstruction ?? instructions,
    input ?? messages ?? contents,
  ];
  return JSON.stringify(prompt, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
}

function hasTools({ tools }: Wire): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

function sharedPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return Buffer.byteLength(other.slice(0, length));
}

const tooLong: Record<Dialect, (tokens: number, window: number) => Wire> = {
  'openai-responses': () => ({
    error: {
      message:
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    },
  }),
  'openai-chat': (tokens, window) => ({
    error: {
      message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }),
  'anthropic-messages': (tokens, window) =>
    errorOf('anthropic-messages', `prompt is too long: ${tokens} tokens > ${window} maximum`),
  'google-generate-content': (tokens, window) =>
    errorOf(
      'google-generate-content',
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
    ),
};

function errorOf(dialect: Dialect, message: string): Wire {
  if (dialect === 'google-generate-content')
    return { error: { code: 400, message, status: 'INVALID_ARGUMENT' } };
  const error = { message, type: 'invalid_request_error' };
  return dialect === 'anthropic-messages'
    ? { type: 'error', error }
    : { error: { ...error, param: null, code: null } };
}

function frameOf(data: Wire): string {
  const name = typeof data['type'] === 'string' ? `event: ${data['type']}\n` : '';
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

const outputTokens = 40;

const framesOf: Record<Dialect, (turn: Turn, tokens: number) => readonly Wire[]> = {
  'openai-responses': responsesFrames,
  'openai-chat': chatFrames,
  'anthropic-messages': messagesFrames,
  'google-generate-content': generateFrames,
};

function responsesFrames({ number, text, calls }: Turn, tokens: number): readonly Wire[] {
  const id = `rs_${number}`;
  const content = [{ type: 'output_text', text, annotations: [] }];
  const output = [
    { type: 'reasoning', id, summary: [], encrypted_content: sealOf(id) },
    ...(text === ''
      ? []
      : [
          { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content },
        ]),
    ...calls.map((call, index) => ({
      type: 'function_call',
      id: `fc_${number}_${index}`,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.args),
      status: 'completed',
    })),
  ];
  const usage = {
    input_tokens: tokens,
    output_tokens: outputTokens,
    total_tokens: tokens + outputTokens,
  };
  const response = { id: `resp_${number}`, object: 'response', status: 'completed', output, usage };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.map((item, index) => ({
      type: 'response.output_item.done',
      output_index: index,
      item,
    })),
    { type: 'response.completed', response },
  ];
}

function chatFrames({ number, text, calls }: Turn, tokens: number): readonly Wire[] {
  const chunk = {
    id: `chatcmpl-${number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
  };
  const choice = (delta: Wire, reason: string | null = null): Wire => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [
    choice({ role: 'assistant', content: text === '' ? null : text }),
    ...calls.map(({ id, name, args }, index) =>
      choice({
        tool_calls: [
          { index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
    choice({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { ...chunk, choices: [], usage: { prompt_tokens: tokens, completion_tokens: outputTokens } },
  ];
}

function messagesFrames({ number, thinking, text, calls }: Turn, tokens: number): readonly Wire[] {
  const block = (index: number, start: Wire, ...deltas: readonly Wire[]): Wire[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const blocks: readonly (readonly [Wire, ...Wire[]])[] = [
    [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature: sealOf(thinking) },
    ],
    ...(text === ''
      ? []
      : ([
          [
            { type: 'text', text: '' },
            { type: 'text_delta', text },
          ],
        ] as const)),
    ...calls.map(
      ({ id, name, args }) =>
        [
          { type: 'tool_use', id, name, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(args) },
        ] as const,
    ),
  ];
  const usage = { input_tokens: tokens, output_tokens: 1 };
  return [
    {
      type: 'message_start',
      message: { id: `msg_${number}`, role: 'assistant', content: [], usage },
    },
    ...blocks.flatMap((each, index) => block(index, ...each)),
    {
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  ];
}

function generateFrames({ number, thinking, text, calls }: Turn, tokens: number): readonly Wire[] {
  const parts = [
    { text: thinking, thought: true },
    ...(text === '' ? [] : [{ text }]),
    // The API signs the first call of a step.
    ...calls.map((functionCall, index) => ({
      functionCall,
      ...(index === 0 && {
        thoughtSignature: sealOf(`${functionCall.name}${JSON.stringify(functionCall.args)}`),
      }),
    })),
  ];
  return [
    {
      responseId: `response-${number}`,
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: tokens,
        candidatesTokenCount: outputTokens,
        totalTokenCount: tokens + outputTokens,
      },
    },
  ];
}
