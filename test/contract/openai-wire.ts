import { isJsonObject } from '../../src/base/json';

export type WireRecord = Readonly<Record<string, unknown>>;

export function record(value: unknown): WireRecord {
  return isJsonObject(value) ? value : {};
}

export function records(value: unknown): readonly WireRecord[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** A server-sent event as the Responses API writes it, named after its type; chat chunks have no name. */
export function sseFrame(data: WireRecord): string {
  const name = typeof data['type'] === 'string' ? `event: ${data['type']}\n` : '';
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

export const openAiUsage = {
  sent: { content: 'ok', usage: { prompt_tokens: 120, completion_tokens: 30 } },
  expected: {
    inputTokens: 120,
    outputTokens: 30,
    totalTokens: 150,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  },
};
