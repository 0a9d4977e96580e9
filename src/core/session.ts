import { type Json, type JsonObject, quote, reservedKeys } from '../base';
import type { SessionDelta } from '../protocol/session';

export type { SessionDelta };

/** The place where a value is not JSON, and why. `path` is empty for the whole value. */
type JsonViolation = { readonly path: string; readonly problem: string };

const maxDepth = 200;

/** The first place where a value is not JSON, or undefined. Use it for values that came as JSON. */
export function checkJson(value: unknown, path = ''): JsonViolation | undefined {
  return check(value, path, { ancestors: [] });
}

/**
 * The same for values from people and code. It also refuses values that JSON would change: -0, which becomes 0, and a text with half
 * of a surrogate pair, which has no UTF-8.
 */
export function checkExactJson(value: unknown, path = ''): JsonViolation | undefined {
  return check(value, path, { ancestors: [], refusesMinusZero: true, refusesHalves: true });
}

/** The same for results of tools. It ignores keys without a value, like `JSON.stringify`, and refuses -0. */
export function checkStringifiable(value: unknown, path = ''): JsonViolation | undefined {
  return check(value, path, { ancestors: [], omitsUndefined: true, refusesMinusZero: true });
}

/** The place and the reason, as words that follow "… is not JSON". */
export function violationText({ path, problem }: JsonViolation): string {
  return path === '' ? `: ${problem}` : ` at ${quote(path)}: ${problem}`;
}

/** The changed, added and removed keys, without reserved keys. */
export function sessionDelta(before: JsonObject, after: JsonObject): SessionDelta {
  const changed = Object.keys(after).filter(
    (key) => isOwnKey(key) && !(Object.hasOwn(before, key) && sameJson(before[key], after[key])),
  );
  return {
    set: Object.fromEntries(changed.map((key) => [key, after[key] as Json])),
    removed: Object.keys(before).filter((key) => isOwnKey(key) && !Object.hasOwn(after, key)),
  };
}

/** A new session with the changes. It leaves out reserved keys of the delta. */
export function mergeDelta(session: JsonObject, delta: SessionDelta): JsonObject {
  const removed = new Set(delta.removed.filter(isOwnKey));
  const kept = Object.entries(session).filter(([key]) => !removed.has(key));
  const set = Object.entries(delta.set).filter(([key]) => isOwnKey(key));
  return Object.fromEntries([...kept, ...set]);
}

/** The keys that are there, with their values. */
export function pickKeys(session: JsonObject, keys: readonly string[]): JsonObject {
  const present = keys.filter((key) => Object.hasOwn(session, key));
  return Object.fromEntries(present.map((key) => [key, session[key] ?? null]));
}

/** Keys that start with two underscores are Longhaul's own and are never merged. */
export const isOwnKey = (key: string): boolean => !key.startsWith('__') && !reservedKeys.has(key);

/** True if two JSON values are equal. The order of keys does not matter. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

type Walk = {
  readonly ancestors: readonly object[];
  readonly omitsUndefined?: boolean;
  readonly refusesMinusZero?: boolean;
  readonly refusesHalves?: boolean;
};

const halfCharacter =
  'the text has half of a surrogate pair: it was cut in the middle of a character';

function check(value: unknown, path: string, walk: Walk): JsonViolation | undefined {
  if (value === null) return undefined;
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'string':
      return walk.refusesHalves && !value.isWellFormed()
        ? { path, problem: halfCharacter }
        : undefined;
    case 'number':
      return checkNumber(value, path, walk);
    case 'object':
      return checkObject(value, path, walk);
    default:
      return { path, problem: `a value of type ${typeof value} is not JSON` };
  }
}

function checkNumber(value: number, path: string, walk: Walk): JsonViolation | undefined {
  if (!Number.isFinite(value)) return { path, problem: `${value} is not JSON` };
  if (!walk.refusesMinusZero || !Object.is(value, -0)) return undefined;
  return { path, problem: '-0 is not JSON, which would make it 0' };
}

function checkObject(value: object, path: string, walk: Walk): JsonViolation | undefined {
  const { ancestors } = walk;
  if (ancestors.includes(value)) return { path, problem: 'the value contains itself' };
  if (ancestors.length >= maxDepth)
    return { path, problem: `the value is nested more than ${maxDepth} levels deep` };
  const inner = { ...walk, ancestors: [...ancestors, value] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const violation = check(value[index], `${path}[${index}]`, inner);
      if (violation) return violation;
    }
    return undefined;
  }
  return checkShape(value, path) ?? checkEntries(value, path, inner);
}

function checkEntries(value: object, path: string, walk: Walk): JsonViolation | undefined {
  for (const [key, item] of Object.entries(value)) {
    const at = keyPath(path, key);
    if (reservedKeys.has(key)) return { path: at, problem: `the key "${key}" is reserved` };
    if (walk.refusesHalves && !key.isWellFormed()) return { path: at, problem: halfCharacter };
    if (item === undefined && walk.omitsUndefined) continue;
    const violation = check(item, at, walk);
    if (violation) return violation;
  }
  return undefined;
}

/** True if the prototype is the root prototype of any realm. */
function checkShape(value: object, path: string): JsonViolation | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name = (prototype as { constructor?: { name?: unknown } }).constructor?.name;
    return { path, problem: `a ${typeof name === 'string' ? name : 'class'} object is not JSON` };
  }
  if (Object.getOwnPropertySymbols(value).length > 0)
    return { path, problem: 'a symbol as a key is not JSON' };
  return undefined;
}

const isPlainName = (key: string): boolean => /^[A-Za-z_$][\w$]*$/.test(key);

function keyPath(path: string, key: string): string {
  if (!isPlainName(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
