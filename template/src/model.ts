import type { ModelProvider, ModelRequest, ModelResponse } from 'longhaul/worker';

type Part = ModelResponse['content'][number];

/** A model that needs no key and no network: it asks for the number of the order, looks it up, and says what it found. */
export const offlineModel: ModelProvider = {
  name: 'offline',
  async call(request) {
    const part = answer(request);
    return {
      content: [part],
      finishReason: part.type === 'tool_call' ? 'tool_calls' : 'stop',
      usage: {
        inputTokens: null,
        outputTokens: null,
        totalTokens: null,
        cacheReadTokens: null,
        cacheWriteTokens: null,
        reasoningTokens: null,
      },
      origin: { provider: 'offline', api: 'offline', model: request.model },
    };
  },
};

/** The results of tools so far say how far the conversation is. */
function answer({ messages }: ModelRequest): Part {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []));
  const [asked, found] = results.map(({ content }) =>
    content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join(''),
  );
  if (found !== undefined) return { type: 'text', text: found };
  if (asked !== undefined) return call('find_order', { orderId: asked });
  return call('ask_user', { question: 'What is the number of your order?' });
}

function call(name: string, args: Record<string, string>): Part {
  return { type: 'tool_call', callId: name, name, args };
}
