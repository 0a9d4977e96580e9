import { LonghaulError } from '../protocol/errors';
import type { Stores } from './memory-store';
import type { StateStores } from './state-store';

export const storeNames = ['app', 'user', 'session'] as const satisfies (keyof StateStores)[];

const known = [...storeNames, 'memory'] as const satisfies (keyof Stores)[];

const methods = {
  app: ['load', 'save', 'delete'],
  user: ['load', 'save', 'delete'],
  session: ['load', 'save', 'delete', 'exists', 'version'],
} as const;

const memoryMethods = ['loadTurns', 'saveTurn', 'clear', 'count', 'generation'];

/** Refuses what is no store when the worker starts, not when a run completes. */
export function checkStores(stores: Stores): void {
  requireObject('stores', stores);
  const unknown = isLiteral(stores)
    ? Object.keys(stores).find((name) => !isKnown(name))
    : undefined;
  if (unknown !== undefined)
    throw new LonghaulError(
      'SpecError',
      `stores.${unknown} is unknown. Known stores: ${known.join(', ')}`,
    );
  for (const name of storeNames) {
    if (stores[name] !== undefined) requireMethods(`stores.${name}`, stores[name], methods[name]);
  }
  if (stores.memory !== undefined) requireObject('stores.memory', stores.memory);
  for (const [name, store] of Object.entries(stores.memory ?? {})) {
    requireMethods(`stores.memory.${name}`, store, memoryMethods);
  }
}

/** Classes of stores have members of their own. */
function isLiteral(stores: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(stores);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isKnown(name: string): boolean {
  return (known as readonly string[]).includes(name);
}

function requireObject(path: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new LonghaulError('SpecError', `${path} must be an object of stores by name`);
}

function requireMethods(path: string, store: unknown, names: readonly string[]): void {
  const missing = names.filter((name) => !hasMethod(store, name));
  if (missing.length === 0) return;
  throw new LonghaulError(
    'SpecError',
    `${path} lacks ${missing.map((each) => `${each}()`).join(', ')}`,
  );
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (Object(value) as Readonly<Record<string, unknown>>)[name] === 'function';
}
