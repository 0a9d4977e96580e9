import { SpecError } from '../protocol/error-classes';
import type { StateStores } from './state-store';

export const storeNames = ['app', 'user', 'session'] as const satisfies (keyof StateStores)[];

const methods = {
  app: ['load', 'save', 'delete'],
  user: ['load', 'save', 'delete'],
  session: ['load', 'save', 'delete', 'exists'],
} as const;

/** Refuses what is no store when the worker starts, not when a run completes. */
export function checkStores(stores: StateStores): void {
  for (const name of storeNames) {
    const store: unknown = stores[name];
    if (store === undefined) continue;
    const missing = methods[name].filter((method) => !hasMethod(store, method));
    if (missing.length > 0)
      throw new SpecError(`stores.${name} lacks ${missing.map((each) => `${each}()`).join(', ')}`);
  }
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (Object(value) as Readonly<Record<string, unknown>>)[name] === 'function';
}
