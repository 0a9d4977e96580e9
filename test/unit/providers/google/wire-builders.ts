import type { GenerateContentResponse } from '@google/genai';
import type { AssistantPart, Message } from '../../../../src/protocol/message';
import { ResponseAccumulator } from '../../../../src/providers/google/from-response';
import type { ModelDelta, ModelRequest } from '../../../../src/providers/provider';
import { user } from '../../core/builders';

export const origin = {
  provider: 'google',
  api: 'google-generate-content',
  model: 'gemini-3-pro',
} as const;
export const elsewhere = {
  provider: 'anthropic',
  api: 'anthropic-messages',
  model: 'claude-opus-5',
} as const;
export const target = { provider: 'google', model: 'gemini-3-pro' };

export function seal(data: object): NonNullable<AssistantPart['sealed']> {
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

export function accumulated(
  chunks: readonly unknown[],
  firstCall = 0,
): { accumulator: ResponseAccumulator; deltas: ModelDelta[] } {
  const deltas: ModelDelta[] = [];
  const accumulator = new ResponseAccumulator((delta) => deltas.push(delta), firstCall);
  for (const chunk of chunks) accumulator.accept(chunk as GenerateContentResponse);
  return { accumulator, deltas };
}
