/** A JSON value. NaN, Infinity, Date, Map, BigInt and cycles are not JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** A JSON Schema. The model gets it unchanged. */
export type JsonSchema = JsonObject;

/** Keys that would change the object they are set on. */
export const reservedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A deep copy through JSON text, without `undefined`. The machine copies all its input, so that a stored and loaded run equals one that was
 * never stored. JSON.parse makes only own properties, even for `__proto__`.
 */
export function plainJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** True for an object literal, an object from JSON.parse or one without a prototype, of any realm. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether the value is an object with these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  const methods = Object(value) as Readonly<Record<string, unknown>>;
  return names.every((name) => typeof methods[name] === 'function');
}

/** Freezes plain data at every depth. Functions and class instances in it stay as they are. */
export function deepFreeze<Value>(value: Value): Value {
  if (Array.isArray(value) || isPlainObject(value)) {
    if (Object.isFrozen(value)) return value;
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** JSON with sorted keys and no spaces (RFC 8785): equal values give equal text. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as { [key: string]: Json | undefined })
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return canonicalScalar(value);
}

function canonicalScalar(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${value} is not JSON`);
  }
  const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (!isScalar) throw new TypeError(`A ${typeof value} is not JSON`);
  return JSON.stringify(value);
}

/** The object without the members that are undefined. */
export function defined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as { [Key in keyof Value]?: Exclude<Value[Key], undefined> };
}
