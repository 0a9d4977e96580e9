// State as text: what is not JSON is refused with its path, never coerced.

import { StoreError } from '../protocol/error-classes';
import { isJsonObject, type JsonObject } from '../protocol/json';

const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The JSON text of a state. Throws `StoreError` for what would not come back as it went in: NaN, Date, Map, undefined, cycles, and
 * for the keys `__proto__`, `constructor` and `prototype`.
 */
export function encodeState(value: unknown): string {
  if (!isJsonObject(value)) throw refusal('', 'it must be an object');
  const paths = new WeakMap<object, string>();
  try {
    return JSON.stringify(value, function (this: object, key: string, shown: unknown): unknown {
      const holder = paths.get(this);
      const path = holder === undefined ? '' : memberPath(holder, key, Array.isArray(this));
      const member: unknown = holder === undefined ? value : Reflect.get(this, key);
      const problem = problemOf(member) ?? (member === shown ? undefined : 'it has a toJSON');
      if (problem !== undefined) throw refusal(path, problem);
      if (refusedKeys.has(key)) throw refusal(path, 'the key is reserved');
      if (typeof member === 'object' && member !== null) paths.set(member, path);
      return member;
    });
  } catch (error) {
    if (error instanceof TypeError) throw refusal('', 'it contains itself', error);
    if (error instanceof RangeError) throw refusal('', 'it is nested too deep', error);
    throw error;
  }
}

/** The state of a text that `encodeState` made. Throws `StoreError` for any other. */
export function decodeState(text: string): JsonObject {
  const value = parsed(text);
  encodeState(value);
  return value as JsonObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreError('the stored state is not JSON', { cause: error });
  }
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

/** A plain object's prototype is a root one; whose realm's does not matter. */
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

function refusal(path: string, problem: string, cause?: unknown): StoreError {
  const place = path === '' ? '' : ` at ${path.slice(0, 300)}`;
  return new StoreError(`the state is not a JSON object${place}: ${problem}`, { cause });
}
