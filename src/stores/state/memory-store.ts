import type { Json } from '../../base';
import { LonghaulError, type RunInput } from '../../protocol';
import type { SessionKey, StateStores } from './state-store';

export const storeNames = ['app', 'user', 'session'] as const satisfies (keyof StateStores)[];

const known = [...storeNames, 'memory'] as const satisfies (keyof Stores)[];

const methods = {
  app: ['load', 'save', 'delete'],
  user: ['load', 'save', 'delete'],
  session: ['load', 'save', 'delete', 'exists', 'version'],
} as const;

const memoryMethods = ['loadTurns', 'saveTurn', 'clear', 'count', 'generation'];

/** The key of a conversation. Agents with the same key share the conversation. */
export type MemoryKey = SessionKey;

/** The messages of a user and the answer of the agent. */
export type StoredMemoryTurn = MemoryKey & {
  /** A UUID of version 7. Saving a turn with the same id again replaces it. */
  readonly id: string;
  /** The workflow id of the run that made the turn. */
  readonly invocationId: string;
  /** The run's input: a text, or a list of parts if it has media. */
  readonly user: RunInput['input'];
  /** The run's final text. */
  readonly assistant: string;
  /** More data of the turn, such as usage and tool calls. No model sees it. */
  readonly eventData?: Json;
  /** When the turn was made: ISO 8601 with a time zone, to the millisecond, as `Date.prototype.toISOString` writes it. */
  readonly createdAt: string;
};

export type LoadTurnsOptions = {
  /** How many of the newest turns to read; 0 reads none. Default: all. */
  readonly last?: number;
};

export type SaveTurnOptions = {
  /** Save only if the key is in this generation. Default: save always. */
  readonly generation?: string;
};

export type ClearOptions = {
  /** Clear only if the key is in this generation. */
  readonly generation: string;
  /** The generation that begins. If the key is in it already, this is a repeated clear: nothing changes. */
  readonly next: string;
};

/**
 * Keeps the turns of conversations. Throw `StoreError` with `retryable: false` for an error that a retry does not help. After any other
 * error the call is retried.
 *
 * Every clear begins another generation of the key. A thread names the generation with each write. So a delayed write that arrives after a
 * clear changes nothing. Check and write must be one step: one transaction, or one script.
 */
export type MemoryStore = {
  /** Returns the oldest turn first: by `createdAt`, then by `id`. */
  loadTurns(key: MemoryKey, options?: LoadTurnsOptions): Promise<readonly StoredMemoryTurn[]>;
  /** Saves a turn, or replaces the whole turn with the same key and id. False: the generation is over, and nothing was saved. */
  saveTurn(turn: StoredMemoryTurn, options?: SaveTurnOptions): Promise<boolean>;
  /** Deletes all turns of the key. False: the generation is over, and nothing was deleted. Without options it clears always. */
  clear(key: MemoryKey, options?: ClearOptions): Promise<boolean>;
  count(key: MemoryKey): Promise<number>;
  /** The key's generation: an empty text until the first clear. */
  generation(key: MemoryKey): Promise<string>;
};

/** By the names agents use: `memory: { kind: 'full', store: 'default' }`. */
export type MemoryStores = Readonly<Record<string, MemoryStore>>;

/** The stores of a worker: state that runs start from, and memory stores for the turns of threads. */
export type Stores = StateStores & { readonly memory?: MemoryStores };

/** Checks stores when the worker starts, not when a run completes. Throws `SpecError`. */
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

/** Instances of store classes may have more members. */
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
