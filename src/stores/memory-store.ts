import type { Json } from '../base/json';
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

export type SaveTurnOptions = {
  /** Save only while this is the key's generation. Without it the turn is saved in any case. */
  readonly generation?: string;
};

export type ClearOptions = {
  /** Clear only while this is the key's generation. */
  readonly generation: string;
  /** The generation that begins. Where it has begun already, this clear was made before: nothing changes. */
  readonly next: string;
};

/**
 * Keeps the turns of conversations. What goes wrong is thrown as `StoreError`; any other error is taken for one that may pass, and
 * the call is made again.
 *
 * Every clear begins another generation of the key. A thread says in which generation it writes. So a write that was delayed, and
 * arrives after a clear, changes nothing. Check and write must be one step: one transaction, or one script.
 */
export type MemoryStore = {
  /** The oldest first: by `createdAt`, and by `id` where that is equal. */
  loadTurns(key: MemoryKey, options?: LoadTurnsOptions): Promise<readonly StoredMemoryTurn[]>;
  /** Replaces the turn of the same key and id, whole. Under another key the same id is another turn. False: it came too late. */
  saveTurn(turn: StoredMemoryTurn, options?: SaveTurnOptions): Promise<boolean>;
  /** Forgets all turns of the key, and no others. False: it came too late. Without options it clears in any case. */
  clear(key: MemoryKey, options?: ClearOptions): Promise<boolean>;
  count(key: MemoryKey): Promise<number>;
  /** An empty text until the key is cleared for the first time. */
  generation(key: MemoryKey): Promise<string>;
};

/** By the names agents use: `memory: { kind: 'full', store: 'default' }`. */
export type MemoryStores = Readonly<Record<string, MemoryStore>>;

/** All that a worker may be given: state that runs start from, and where threads write their turns. */
export type Stores = StateStores & { readonly memory?: MemoryStores };
