// Events of a turn, and a client of AG-UI that gets them as segments: its own schema, checks and reducer read what the encoder writes.
import { HttpAgent, type Message, type RunAgentInput } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import { emptyDigest, extendDigest } from '../../../../src/base/digest';
import { emptyUsage } from '../../../../src/core/budget/usage';
import type { AgUiEvent, AgUiMessage } from '../../../../src/http/ag-ui/conversation';
import { RunEncoder } from '../../../../src/http/ag-ui/run-encoder';
import type { PendingInput } from '../../../../src/protocol/run';
import type { StreamEvent } from '../../../../src/core/stream/events';

export const root = { root: 'turn-1', workflowId: 'turn-1', path: 'desk', agent: 'desk' };
export const below = {
  root: 'turn-1',
  workflowId: 'turn-1.books.1.0~ab12cd34',
  path: 'desk/books',
  agent: 'books',
};
export const digest = (workflowId: string): string => extendDigest(emptyDigest, workflowId);
export const books = `turn-1/${digest(below.workflowId)}`;

const at = (place: typeof root, event: object): StreamEvent =>
  ({ ...place, position: 'p', ...event }) as unknown as StreamEvent;
export const own = (event: object): StreamEvent => at(root, event);
export const begin = (turn: number, place = root): StreamEvent =>
  at(place, { type: 'step-begin', turn, attempt: 1 });
export const say = (turn: number, delta: string, { place = root, part = 0, type = 'text' } = {}) =>
  at(place, { type, turn, part, delta });
const usage = { ...emptyUsage, inputTokens: 3, outputTokens: 2, cacheReadTokens: 1 };
const origin = { provider: 'lab', api: 'chat', model: 'one' };
export const stepEnd = (turn: number, place = root): StreamEvent =>
  at(place, { type: 'step-end', turn, content: [], usage, origin });

type CallOptions = { place?: typeof root; index?: number; args?: object | null; name?: string };
export function call(turn: number, deltas: string[], options: CallOptions = {}): StreamEvent[] {
  const { place = root, index = 0, name = 'pay', args = { amount: 1 } } = options;
  const id = { turn, index, callId: 'call_0', part: 5 + index };
  const part = { type: 'tool_call', callId: 'call_0', name, args, rawArgs: '{"amount' };
  return [
    at(place, { type: 'call-begin', name: 'pay', ...id }),
    ...deltas.map((delta) => at(place, { type: 'call-delta', delta, ...id })),
    at(place, { type: 'call', call: part, ...id }),
  ];
}
export function result(
  turn: number,
  content: object[] | string,
  { place = root, index = 0, isError = false } = {},
): StreamEvent {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const value = { type: 'tool_result', callId: 'call_0', name: 'pay', isError, content: parts };
  return at(place, { type: 'result', turn, index, callId: 'call_0', name: 'pay', result: value });
}
export const pending = (over: Partial<PendingInput> = {}, place = root): PendingInput => ({
  kind: 'approval',
  question: 'May pay run?',
  agentId: place.agent,
  path: place.path,
  since: '2026-01-01T00:00:00.000Z',
  ...over,
  inputId: `${over.inputId ?? 'a1.0'}@${digest(place.workflowId)}`,
});
export const paused = (...inputs: PendingInput[]): StreamEvent =>
  own({ type: 'paused', pauseSeq: 1, pending: inputs });
export const end = (
  over: object = { status: 'completed', result: { text: 'Done' } },
  place = root,
) => at(place, { type: 'end', ...over });

export type Segment = {
  readonly before?: readonly StreamEvent[];
  readonly events: readonly StreamEvent[];
};

/** A client whose requests are answered with these segments, one after the other. */
export class Client {
  readonly agent: HttpAgent;
  readonly #segments: Segment[] = [];
  written: AgUiEvent[] = [];

  constructor(messages: Message[] = [{ id: 'm1', role: 'user', content: 'Pay!' }]) {
    this.agent = new HttpAgent({
      url: 'http://desk.test/desk/agui',
      threadId: 'chat',
      initialMessages: messages,
      fetch: (_, { body }) => Promise.resolve(this.#answer(body as string)),
    });
  }

  async run(segment: Segment, options: object = {}): Promise<void> {
    this.#segments.push(segment);
    await this.agent.runAgent(options);
  }

  #answer(body: string): Response {
    const input = JSON.parse(body) as RunAgentInput;
    const { before = [], events } = this.#segments.shift() ?? { events: [] };
    const encoder = new RunEncoder({
      threadId: input.threadId,
      runId: input.runId,
      turn: 'turn-1',
      messages: input.messages,
    });
    for (const event of before) encoder.skip(event);
    this.written = [...encoder.start(), ...events.flatMap((event) => encoder.push(event))];
    for (const event of this.written) EventSchema.parse(JSON.parse(JSON.stringify(event)));
    const text = this.written.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  }

  get types(): string[] {
    return this.written.map(({ type }) => type);
  }

  /** What the client shows of the turn. */
  get shown(): unknown[] {
    const own = this.agent.messages.filter(({ id }) => id.startsWith('turn-1/'));
    return own.map(
      ({ toolCalls, ...message }: Message & { toolCalls?: AgUiMessage['toolCalls'] }) => {
        const calls = toolCalls?.map(({ function: { name, arguments: text } }) => [
          name,
          parse(text),
        ]);
        return { ...message, ...(calls && { calls }) };
      },
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function shownAfter(...segments: Segment[]): Promise<unknown[]> {
  const client = new Client();
  for (const segment of segments) await client.run(segment, resumed(client));
  return client.shown;
}

/** Answers for all that is open. */
export function resumed({ agent }: Client): object {
  const { pendingInterrupts } = agent;
  if (pendingInterrupts.length === 0) return {};
  const status = 'resolved' as const;
  const payload = { approved: true };
  return { resume: pendingInterrupts.map(({ id }) => ({ interruptId: id, status, payload })) };
}
