import type { AssistantPart, Message } from '../../../../src/protocol/message';
import type { ModelRequest } from '../../../../src/providers/provider';
import { user } from '../../core/builders';

export const origin = {
  provider: 'anthropic',
  api: 'anthropic-messages',
  model: 'claude-opus-5',
} as const;
export const elsewhere = { provider: 'openai', api: 'openai-responses', model: 'gpt-5' } as const;

export function seal(data: Record<string, never> | object): NonNullable<AssistantPart['sealed']> {
  return { api: origin.api, model: origin.model, data: data as never };
}

export function aRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: origin.model,
    messages: [user('Hello')],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run-1',
    ...overrides,
  };
}

export function assistant(...parts: AssistantPart[]): Message {
  return { role: 'assistant', parts, origin };
}

export function result(callId: string, text: string): Message {
  const content = [{ type: 'text' as const, text }];
  const answer = { type: 'tool_result' as const, callId, name: 'look', isError: false, content };
  return { role: 'tool', parts: [answer] };
}
