// State as JSON text. Refuses values that JSON would change, names their path, and never coerces.

import { isJsonObject, type JsonObject, quote, reservedKeys } from '../../base';
import { LonghaulError } from '../../protocol';

const complaint = 'the state is not a JSON object';

/**
 * The JSON text of a state. Throws `StoreError` for values that JSON would change (NaN, Date, Map, undefined, cycles), and for the keys
 * `__proto__`, `constructor` and `prototype`.
 */
export function encodeState(value: unknown): string {
  if (!isJsonObject(value))
    throw new LonghaulError('StoreError', `${complaint}: it must be an object`);
  return encodeJson(value, { complaint, refusedKeys: reservedKeys });
}

/** The state from a text that `encodeState` made. Throws `StoreError` for other texts. */
export function decodeState(text: string): JsonObject {
  const value = parseStored(text, 'state');
  encodeState(value);
  return value as JsonObject;
}

// JSON as text. Refuses values that JSON would change, names their path, and never coerces.

type JsonTextRules = {
  /** How a refusal starts: `the state is not a JSON object`. */
  readonly complaint: string;
  readonly refusedKeys?: ReadonlySet<string>;
};

/** The JSON text of a value. Throws `StoreError` for NaN, Date, Map, undefined, cycles, and for refused keys. */
export function encodeJson(value: unknown, { complaint, refusedKeys }: JsonTextRules): string {
  const paths = new WeakMap<object, string>();
  try {
    return JSON.stringify(value, function (this: object, key: string, shown: unknown): unknown {
      const holder = paths.get(this);
      const path = holder === undefined ? '' : memberPath(holder, key, Array.isArray(this));
      const member: unknown = holder === undefined ? value : Reflect.get(this, key);
      const problem = problemOf(member) ?? (member === shown ? undefined : 'it has a toJSON');
      if (problem !== undefined) throw refusal(complaint, path, problem);
      if (refusedKeys?.has(key)) throw refusal(complaint, path, 'the key is reserved');
      if (typeof member === 'object' && member !== null) paths.set(member, path);
      return member;
    });
  } catch (error) {
    const problem = walkProblem(error);
    throw problem === undefined
      ? error
      : new LonghaulError('StoreError', `${complaint}: ${problem}`, { cause: error });
  }
}

/** The value of a stored text. `subject` names what the text holds. */
export function parseStored(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LonghaulError('StoreError', `the stored ${subject} is not JSON`, { cause: error });
  }
}

function walkProblem(error: unknown): string | undefined {
  if (error instanceof TypeError) return 'it contains itself';
  return error instanceof RangeError ? 'it is nested too deep' : undefined;
}

function problemOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${value} is not JSON`;
    case 'object':
      return value === null || Array.isArray(value) ? undefined : problemOfObject(value);
    default:
      return `a value of type ${typeof value} is not JSON`;
  }
}

/** A plain object's prototype is the root prototype of any realm. */
function problemOfObject(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name = (prototype as { constructor?: { name?: unknown } }).constructor?.name;
    return `a ${typeof name === 'string' ? name : 'class'} object is not JSON`;
  }
  return Object.getOwnPropertySymbols(value).length === 0
    ? undefined
    : 'a symbol as a key is not JSON';
}

function memberPath(holder: string, key: string, isItem: boolean): string {
  if (isItem) return `${holder}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${holder}[${JSON.stringify(key)}]`;
  return holder === '' ? key : `${holder}.${key}`;
}

function refusal(complaint: string, path: string, problem: string): LonghaulError {
  const place = path === '' ? '' : ` at ${quote(path)}`;
  return new LonghaulError('StoreError', `${complaint}${place}: ${problem}`);
}
