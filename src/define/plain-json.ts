import {
  describeValue,
  formatPath,
  isPlainObject,
  type Json,
  type JsonObject,
  type Problem,
} from '../base';

const deepest = 100;

export type PlainJson =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: Problem };

class NotJson extends Error {
  readonly path: string;

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = formatPath(path);
  }
}

/** A copy of the value as pure JSON, or the first place where it is none. Members that are `undefined` are left out, as everywhere in options. */
export function toPlainJson(value: unknown): PlainJson {
  try {
    return { ok: true, value: copy(value, [], []) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { ok: false, problem: { path: error.path, message: error.message } };
  }
}

function copy(value: unknown, path: (string | number)[], ancestors: object[]): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return copyNumber(value, path);
  if (typeof value !== 'object') throw new NotJson(path, `must be JSON, not ${typeName(value)}`);
  if (ancestors.includes(value)) throw new NotJson(path, 'must be JSON, but it contains itself');
  if (ancestors.length >= deepest) {
    throw new NotJson(path, `is nested more than ${deepest} levels deep`);
  }
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) => copy(item, [...path, index], inside));
  }
  if (!isPlainObject(value)) throw new NotJson(path, `must be JSON, not ${typeName(value)}`);
  return copyObject(value, path, inside);
}

function copyNumber(value: number, path: (string | number)[]): number {
  if (!Number.isFinite(value)) throw new NotJson(path, `must be JSON, not ${describeValue(value)}`);
  return value === 0 ? 0 : value;
}

function copyObject(
  value: Readonly<Record<string, unknown>>,
  path: (string | number)[],
  ancestors: object[],
): JsonObject {
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') throw new NotJson(path, `must not have the key '__proto__'`);
    if (member !== undefined) result[key] = copy(member, [...path, key], ancestors);
  }
  return result;
}

function typeName(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
    return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object with a prototype';
  }
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}
