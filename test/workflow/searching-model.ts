import { randomBytes } from 'node:crypto';
import type { Message } from '../../src/protocol/message';
import type { ModelProvider } from '../../src/worker';

export type SearchingModel = ModelProvider & { readonly requests: (readonly Message[])[] };

/**
 * Calls `look_up` until the conversation has `turns` model turns, then says so. Every answer is unique, so that the transcript of
 * another attempt, execution or run cannot pass for the real one. It decides from the request alone: no script runs out.
 */
export function searchingModel(
  turns: number,
  options: { answer?: () => Promise<void> } = {},
): SearchingModel {
  const requests: (readonly Message[])[] = [];
  return {
    name: 'scripted',
    requests,
    call: async ({ messages }) => {
      requests.push(messages);
      await options.answer?.();
      const isLast = messages.filter((message) => message.role === 'assistant').length >= turns - 1;
      const text = `thought ${randomBytes(6).toString('hex')}`;
      return {
        content: isLast
          ? [{ type: 'text', text }]
          : [
              { type: 'text', text },
              { type: 'tool_call', callId: `call_${messages.length}`, name: 'look_up', args: {} },
            ],
        usage: {
          inputTokens: 10,
          outputTokens: 5,
          totalTokens: 15,
          cacheReadTokens: null,
          cacheWriteTokens: null,
          reasoningTokens: null,
        },
        finishReason: isLast ? 'stop' : 'tool_calls',
        origin: { provider: 'scripted', api: 'scripted', model: 'one' },
      };
    },
  };
}
