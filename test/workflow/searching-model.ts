import { randomBytes } from 'node:crypto';
import type { Message } from '../../src/protocol/message';
import type { ModelProvider } from '../../src/worker';

export type SearchingModel = ModelProvider & { readonly requests: (readonly Message[])[] };

/**
 * Calls `look_up`, `calls` times a turn, until the conversation has `turns` model turns, then says so. Every answer is unique, so that the transcript of
 * another attempt, execution or run cannot pass for the real one. It decides from the request alone: no script runs out.
 */
export function searchingModel(
  turns: number,
  { answer, calls = 1 }: { answer?: () => Promise<void>; calls?: number } = {},
): SearchingModel {
  const requests: (readonly Message[])[] = [];
  return {
    name: 'scripted',
    requests,
    call: async ({ messages }) => {
      requests.push(messages);
      await answer?.();
      const isLast = messages.filter((message) => message.role === 'assistant').length >= turns - 1;
      const text = `thought ${randomBytes(6).toString('hex')}`;
      const lookUps = Array.from({ length: isLast ? 0 : calls }, (_, index) => ({
        type: 'tool_call' as const,
        callId: `call_${messages.length}_${index}`,
        name: 'look_up',
        args: {},
      }));
      return {
        content: [{ type: 'text', text }, ...lookUps],
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
