import { isJsonObject, type Json, type JsonObject } from '../base/json';

/**
 * Settings that go into a request body as they are: objects are merged, lists are appended to, null takes a field out,
 * everything else replaces.
 */
export function mergeExtra(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const merged = new Map<string, Json>(Object.entries(body));
  for (const [key, value] of Object.entries(extra)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(current: Json | undefined, value: Json): Json {
  if (Array.isArray(current) && Array.isArray(value)) return [...current, ...value];
  if (isJsonObject(value)) return mergeExtra(isJsonObject(current) ? current : {}, value);
  return value;
}
