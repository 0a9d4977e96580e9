/**
 * A deep copy as JSON would carry it: without undefined, shared with nobody. What enters the machine goes through here, so that a
 * stored and loaded run equals the one that was never stored. JSON.parse makes own properties only, `__proto__` included.
 */
export function plainJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** Plain across realms: a literal, JSON.parse's, or without a prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Freezes plain data all the way down; functions and class instances in it are left as they are. */
export function deepFreeze<Value>(value: Value): Value {
  if (Array.isArray(value) || isPlainObject(value)) {
    if (Object.isFrozen(value)) return value;
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
