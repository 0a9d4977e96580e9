import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import type { AssistantPart, MediaPart, ToolCallPart } from '../../protocol/message';
import { isMadeUp } from './call-ids';

/** The name of this wire format: what is sealed under it goes back to it only. */
export const googleApi = 'google-generate-content';

/**
 * What a part says in this API. Reading, a part is sealed with what its wire part has beyond this, a thought signature
 * above all; writing, both together are the wire part again. Undefined for parts that are none here.
 */
export function projectedPart(part: AssistantPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'reasoning':
      return { text: part.text, thought: true };
    case 'tool_call':
      return { functionCall: functionCall(part, !isMadeUp(part.callId)) };
    case 'media':
      return mediaPart(part);
    case 'opaque':
      return isJsonObject(part.sealed.data) ? part.sealed.data : undefined;
    // It stands beside the content (`promptFeedback`).
    case 'refusal':
      return undefined;
  }
}

/** Arguments that never were an object go back as the text the model wrote. */
export function functionCall(call: ToolCallPart, withId: boolean): JsonObject {
  return {
    ...(withId ? { id: call.callId } : {}),
    name: call.name,
    args: call.args ?? { INVALID_JSON: call.rawArgs ?? '' },
  };
}

/** What can be read is for the model to say; a `ref` is the URI of an uploaded file. */
export function mediaPart({
  mediaType,
  source,
}: Pick<MediaPart, 'mediaType' | 'source'>): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { inlineData: { mimeType: mediaType, data: source.data } };
    case 'url':
      return { fileData: { mimeType: mediaType, fileUri: source.url } };
    case 'ref':
      return { fileData: { mimeType: mediaType, fileUri: source.ref } };
  }
}

/** What `wire` has beyond `projection`, one level into its objects. */
export function beyond(wire: JsonObject, projection: JsonObject): JsonObject {
  const fields = Object.entries(wire).flatMap(([key, value]): [string, Json][] => {
    const known = projection[key];
    if (known === undefined) return [[key, value]];
    if (!isJsonObject(value) || !isJsonObject(known)) return [];
    const inner = Object.entries(value).filter(([name]) => !(name in known) && name !== 'id');
    return inner.length === 0 ? [] : [[key, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(fields);
}

/** The wire part of which `beyond` was taken. */
export function restored(projection: JsonObject, sealed: JsonObject): JsonObject {
  const fields = Object.entries(sealed).map(([key, value]): [string, Json] => {
    const known = projection[key];
    return [key, isJsonObject(value) && isJsonObject(known) ? { ...known, ...value } : value];
  });
  return { ...projection, ...Object.fromEntries(fields) };
}
