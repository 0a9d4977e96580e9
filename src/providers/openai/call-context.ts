import type { OpenAI } from 'openai';
import type { JsonObject } from '../../base/json';
import type { Message, ResponseIds } from '../../protocol/message';
import type { CallTarget } from '../errors';
import type { Endpoint } from './endpoint';

/** What a call needs besides its request. */
export type CallContext = {
  readonly client: OpenAI;
  readonly endpoint: Endpoint;
  readonly target: CallTarget & { readonly model: string };
  readonly extra?: JsonObject;
};

/** Calls so far: numbers those that a server gives no id, the same in every attempt and unlike any before. */
export function callCount(messages: readonly Message[]): number {
  return messages.reduce((count, message) => {
    if (message.role !== 'assistant') return count;
    return count + message.parts.filter((part) => part.type === 'tool_call').length;
  }, 0);
}

export function idsField(
  responseId: unknown,
  requestId: string | null,
): { readonly ids?: ResponseIds } {
  const ids: ResponseIds = {
    ...(typeof responseId === 'string' && responseId !== '' ? { response: responseId } : {}),
    ...(requestId === null || requestId === '' ? {} : { request: requestId }),
  };
  return Object.keys(ids).length === 0 ? {} : { ids };
}
