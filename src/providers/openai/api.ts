import { isJsonObject, type JsonObject } from '../../base/json';
import type { AssistantMessage, AssistantPart } from '../../protocol/message';

export const responsesApi = 'openai-responses';
export const chatApi = 'openai-chat';

export type OpenAiApi = typeof responsesApi | typeof chatApi;

export type OpenPart = { readonly part: AssistantPart; readonly sealed: JsonObject | undefined };

/** Parts with the sealed data that came from this api; another's means nothing here. */
export function openParts({ parts, origin }: AssistantMessage, api: OpenAiApi): OpenPart[] {
  const isOwn = origin === undefined || origin.api === api;
  return parts.map((part) => {
    const data = isOwn && part.sealed?.api === api ? part.sealed.data : undefined;
    return { part, sealed: isJsonObject(data) ? data : undefined };
  });
}
