// State as text: what is not JSON is refused with its path, never coerced.

import { LonghaulError } from '../protocol/errors';
import { isJsonObject, type JsonObject } from '../base/json';
import { encodeJson, parseStored } from './json-text';

const complaint = 'the state is not a JSON object';
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The JSON text of a state. Throws `StoreError` for what would not come back as it went in: NaN, Date, Map, undefined, cycles, and
 * for the keys `__proto__`, `constructor` and `prototype`.
 */
export function encodeState(value: unknown): string {
  if (!isJsonObject(value))
    throw new LonghaulError('StoreError', `${complaint}: it must be an object`);
  return encodeJson(value, { complaint, refusedKeys });
}

/** The state of a text that `encodeState` made. Throws `StoreError` for any other. */
export function decodeState(text: string): JsonObject {
  const value = parseStored(text, 'state');
  encodeState(value);
  return value as JsonObject;
}
