import { isJsonObject, type Json, type JsonObject } from '../../base';
import type { AssistantPart, Media, Origin, ToolCallPart } from '../../protocol';
import { asText, checkToolArguments, seal, sealedField, withoutNulls } from '../wire';
import { unreadContent } from '../stored-content';

/** The name of this API. Data sealed under it goes back only to it. */
export const googleApi = 'google-generate-content';

/**
 * A part as a wire part of this API; undefined if the API has no such part. The sealed data has the fields that the part does not have,
 * such as a thought signature. Both together give the wire part again.
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
    // A refusal is outside of the content (`promptFeedback`).
    case 'refusal':
      return undefined;
  }
}

/** Arguments must be an object: invalid arguments go back as the model's text. */
export function functionCall(call: ToolCallPart, withId: boolean): JsonObject {
  return {
    ...(withId ? { id: call.callId } : {}),
    name: call.name,
    args: call.args ?? { INVALID_JSON: call.rawArgs ?? '' },
  };
}

/** Sends any media type: the model decides what it can read. A `ref` is the URI of an uploaded file. */
export function mediaPart({ mediaType, source }: Media): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { inlineData: { mimeType: mediaType, data: source.data } };
    case 'url':
      return { fileData: { mimeType: mediaType, fileUri: source.url } };
    case 'ref':
      return { fileData: { mimeType: mediaType, fileUri: source.ref } };
    case 'stored':
      return unreadContent();
  }
}

/** The media of a tool's result that the models take. */
export function isTaken({ mediaType }: Media): boolean {
  return /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video|text)\/.+|application\/pdf)$/.test(
    mediaType,
  );
}

/** True if the model takes the media inside of a result. It takes no other types there, and none by address. */
export function isPartOfResult({ mediaType, source }: Media, model: string): boolean {
  const isKnown = /^(?:image\/(?:png|jpeg|webp)|application\/pdf)$/.test(mediaType);
  return isKnown && source.kind === 'base64' && !isBeforeThree(model);
}

/** The fields of `wire` that `projection` does not have, one level into its objects. */
function beyond(wire: JsonObject, projection: JsonObject): JsonObject {
  const fields = Object.entries(wire).flatMap(([key, value]): [string, Json][] => {
    const known = projection[key];
    if (known === undefined) return [[key, value]];
    if (!isJsonObject(value) || !isJsonObject(known)) return [];
    const inner = Object.entries(value).filter(([name]) => !(name in known) && name !== 'id');
    return inner.length === 0 ? [] : [[key, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(fields);
}

/** The wire part: the projection with the sealed fields of `beyond`. */
export function restored(projection: JsonObject, sealed: JsonObject): JsonObject {
  const fields = Object.entries(sealed).map(([key, value]): [string, Json] => {
    const known = projection[key];
    return [key, isJsonObject(value) && isJsonObject(known) ? { ...known, ...value } : value];
  });
  return { ...projection, ...Object.fromEntries(fields) };
}

/** Some models and backends give calls no ids. A made-up id is the same in every attempt, and never goes to the API. */
export function madeUpId(call: number): string {
  return `gemini-call-${call}`;
}

export function isMadeUp(callId: string): boolean {
  return /^gemini-call-\d+$/.test(callId);
}

function isBeforeThree(model: string): boolean {
  return /(?:^|\/)gemini-[12](?:[.-]|$)/.test(model);
}

export function checksSignatures(model: string): boolean {
  return !isBeforeThree(model);
}

export function takesSchemaWithTools(model: string): boolean {
  return !isBeforeThree(model);
}

export function hasThinkingLevels(model: string): boolean {
  return !isBeforeThree(model);
}

/**
 * Each wire part becomes one part, in order, because a thought signature belongs to exactly the part it came with: a call, a text or an
 * empty text. Seals unknown parts whole. `firstCall` numbers calls without an id.
 */
export function fromGenerateParts(
  parts: readonly JsonObject[],
  origin: Origin,
  firstCall: number,
): AssistantPart[] {
  let call = firstCall;
  return parts.map(withoutNulls).flatMap((wire): AssistantPart[] => {
    if (Object.keys(wire).length === 0) return [];
    const part = neutralPart(wire, () => madeUpId(call));
    if (part === undefined) {
      return [{ type: 'opaque', label: labelOf(wire), sealed: seal(origin, wire) }];
    }
    if (part.type === 'tool_call') call += 1;
    const data = beyond(wire, projectedPart(part) ?? {});
    const isEmpty = part.type === 'text' && part.text === '' && Object.keys(data).length === 0;
    return isEmpty ? [] : [{ ...part, ...sealedField(origin, data) }];
  });
}

/** The id of a call, the same in the stream and in the log. */
export function callIdOf(call: JsonObject, madeUp: () => string): string {
  return asText(call['id']) || madeUp();
}

function neutralPart(wire: JsonObject, madeUp: () => string): AssistantPart | undefined {
  const { functionCall, text, thought, inlineData, fileData } = wire;
  if (isJsonObject(functionCall)) {
    return {
      type: 'tool_call',
      callId: callIdOf(functionCall, madeUp),
      name: asText(functionCall['name']),
      ...checkToolArguments(functionCall['args']),
    };
  }
  if (typeof text === 'string') return { type: thought === true ? 'reasoning' : 'text', text };
  if (isJsonObject(inlineData) && typeof inlineData['data'] === 'string') {
    const source = { kind: 'base64' as const, data: inlineData['data'] };
    return { type: 'media', mediaType: asText(inlineData['mimeType']), source };
  }
  if (isJsonObject(fileData) && typeof fileData['fileUri'] === 'string') {
    const source = { kind: 'url' as const, url: fileData['fileUri'] };
    return { type: 'media', mediaType: asText(fileData['mimeType']), source };
  }
  return undefined;
}

function labelOf(wire: JsonObject): string {
  return Object.keys(wire).find((key) => key !== 'thoughtSignature') ?? 'thoughtSignature';
}
