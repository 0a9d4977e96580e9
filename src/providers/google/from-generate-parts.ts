import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import type { AssistantPart, Origin } from '../../protocol/message';
import { seal, sealedField } from '../seal';
import { checkToolArguments } from '../tool-arguments';
import { madeUpId } from './call-ids';
import { beyond, projectedPart } from './parts';

/**
 * Each wire part becomes one part, in order: a thought signature belongs to exactly the part it came with, which may be a
 * call, a text or an empty text. Parts of no neutral kind are sealed whole. `firstCall` numbers calls without an id.
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

/** The id of a call, as it is shown while it streams and as it is kept. */
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

/** Null is how JSON says "absent", and history carries a part in every later turn. */
function withoutNulls(wire: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null));
}

function labelOf(wire: JsonObject): string {
  return Object.keys(wire).find((key) => key !== 'thoughtSignature') ?? 'thoughtSignature';
}

export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
