// A model with a small context: it counts its tokens, refuses what is too long, and looks whether each call has its result.

import { ProviderError } from '../../src/protocol/errors';
import type { AssistantPart, Message } from '../../src/protocol/message';
import type { ModelProvider, ModelRequest, ModelResponse } from '../../src/providers/provider';

/** About what real models count of English text and JSON. */
const bytesPerToken = 4;
const overhead = 150;

export type NarrowRequest = ModelRequest & { readonly tokens: number };

export type NarrowModel = ModelProvider & {
  readonly turns: readonly NarrowRequest[];
  readonly summaries: readonly ModelRequest[];
  readonly refused: number;
};

type Narrow = {
  /** In tokens. */
  readonly window: number;
  /** What it answers to the calls of a conversation, one after the other; then `done`. */
  readonly answers: (call: number, request: ModelRequest) => readonly AssistantPart[] | undefined;
  readonly summary?: (request: ModelRequest, signal: AbortSignal) => Promise<string> | string;
};

export const lookUp = (...ids: readonly string[]): readonly AssistantPart[] => [
  { type: 'reasoning', text: 'I must look that up.' },
  ...ids.map((id) => ({ type: 'tool_call', callId: id, name: 'look_up', args: { id } }) as const),
];

export function narrowModel({
  window,
  answers,
  summary = () => 'They looked up.',
}: Narrow): NarrowModel {
  const turns: NarrowRequest[] = [];
  const summaries: ModelRequest[] = [];
  const calls = new Map<string, number>();
  let refused = 0;
  return {
    name: 'narrow',
    turns,
    summaries,
    get refused() {
      return refused;
    },
    call: async (request, { signal }) => {
      const tokens = overhead + Math.ceil(bytesOf(request.messages) / bytesPerToken);
      checkPairs(request.messages);
      if (request.instructions?.startsWith('You summarise') === true) {
        summaries.push(request);
        return response(request, [{ type: 'text', text: await summary(request, signal) }], tokens);
      }
      if (tokens > window) {
        refused += 1;
        const message = `${tokens} tokens are more than ${window}`;
        throw new ProviderError('context_length', message, { status: 400, provider: 'narrow' });
      }
      turns.push({ ...request, tokens });
      const key = `${request.model} ${textOf(request.messages[0])}`;
      const number = (calls.get(key) ?? 0) + 1;
      calls.set(key, number);
      const content = answers(number, request) ?? [{ type: 'text', text: 'done' }];
      return response(request, content, tokens);
    },
  };
}

function response(
  { model }: ModelRequest,
  content: readonly AssistantPart[],
  inputTokens: number,
): ModelResponse {
  const outputTokens = Math.ceil(JSON.stringify(content).length / bytesPerToken);
  const totalTokens = inputTokens + outputTokens;
  const more = { cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null };
  return {
    content,
    usage: { inputTokens, outputTokens, totalTokens, ...more },
    finishReason: content.some(({ type }) => type === 'tool_call') ? 'tool_calls' : 'stop',
    origin: { provider: 'narrow', api: 'narrow', model },
  };
}

function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { parts }) => sum + JSON.stringify(parts).length, 0);
}

/** What every provider refuses: a call without a result in the next message, or a result of no call. */
function checkPairs(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.parts.map(({ callId }) => callId) : [];
    const called =
      message.role === 'assistant'
        ? message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
        : [];
    const isAlone = message.role === 'tool' && before?.role !== 'assistant';
    if (isAlone || (message.role === 'assistant' && called.join() !== results.join()))
      throw new ProviderError('rejected', `message ${index} breaks the pairs of calls and results`);
  });
}

export function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');
}
