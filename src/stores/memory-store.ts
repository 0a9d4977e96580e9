import type { Json } from '../protocol/json';
import type { RunInput } from '../protocol/run';
import type { SessionKey, StateStores } from './state-store';

/** Whose conversation: agents with the same key share it. */
export type MemoryKey = SessionKey;

/** What a user said and what the agent answered. */
export type StoredMemoryTurn = MemoryKey & {
  /** A UUID of version 7, made once for a turn: the same turn saved again is the same row. */
  readonly id: string;
  /** The run that made the turn. */
  readonly invocationId: string;
  /** The run's input as it was given: a text, or parts where there were media. */
  readonly user: RunInput['input'];
  /** The run's final text. */
  readonly assistant: string;
  /** What else is known of the turn: usage, tool calls. Shown to no model. */
  readonly eventData?: Json;
  /** ISO 8601 with its time zone, as `Date.prototype.toISOString` writes it. Read to the millisecond. */
  readonly createdAt: string;
};

export type LoadTurnsOptions = {
  /** Only the newest so many; 0 is none. Without it all are read. */
  readonly last?: number;
};

/**
 * Keeps the turns of conversations. What goes wrong is thrown as `StoreError`; any other error is taken for one that may pass, and
 * the call is made again.
 */
export type MemoryStore = {
  /** The oldest first: by `createdAt`, and by `id` where that is equal. */
  loadTurns(key: MemoryKey, options?: LoadTurnsOptions): Promise<readonly StoredMemoryTurn[]>;
  /** Replaces the turn of the same key and id, whole. Under another key the same id is another turn. */
  saveTurn(turn: StoredMemoryTurn): Promise<void>;
  /** Forgets all turns of the key, and no others. */
  clear(key: MemoryKey): Promise<void>;
  count(key: MemoryKey): Promise<number>;
};

/** By the names agents use: `memory: { kind: 'full', store: 'default' }`. */
export type MemoryStores = Readonly<Record<string, MemoryStore>>;

/** All that a worker may be given: state that runs start from, and where threads write their turns. */
export type Stores = StateStores & { readonly memory?: MemoryStores };
