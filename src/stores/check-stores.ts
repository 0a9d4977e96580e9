import { SpecError } from '../protocol/error-classes';
import type { Stores } from './memory-store';
import type { StateStores } from './state-store';

export const storeNames = ['app', 'user', 'session'] as const satisfies (keyof StateStores)[];

const methods = {
  app: ['load', 'save', 'delete'],
  user: ['load', 'save', 'delete'],
  session: ['load', 'save', 'delete', 'exists'],
} as const;

const memoryMethods = ['loadTurns', 'saveTurn', 'clear', 'count'];

/** Refuses what is no store when the worker starts, not when a run completes. */
export function checkStores(stores: Stores): void {
  for (const name of storeNames) {
    if (stores[name] !== undefined) requireMethods(`stores.${name}`, stores[name], methods[name]);
  }
  for (const [name, store] of Object.entries(stores.memory ?? {})) {
    requireMethods(`stores.memory.${name}`, store, memoryMethods);
  }
}

function requireMethods(path: string, store: unknown, names: readonly string[]): void {
  const missing = names.filter((name) => !hasMethod(store, name));
  if (missing.length === 0) return;
  throw new SpecError(`${path} lacks ${missing.map((each) => `${each}()`).join(', ')}`);
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (Object(value) as Readonly<Record<string, unknown>>)[name] === 'function';
}
