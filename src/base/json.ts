/** A JSON value: what may cross any boundary. NaN, Infinity, Date, Map, BigInt and cycles are not JSON and are refused. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** A JSON Schema, sent to the model verbatim. */
export type JsonSchema = JsonObject;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
