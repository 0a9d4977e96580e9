/** Stores: of state and memory, of large results, and of model calls in progress. */

// State and memory of conversations.
export type { MemoryKey, MemoryStore, Stores, StoredMemoryTurn } from './stores/state/memory-store';
export type {
  AppKey,
  AppStore,
  SaveStateOptions,
  SessionKey,
  SessionStore,
  StateStore,
  StateStores,
  UserKey,
  UserStore,
} from './stores/state/state-store';
export { storedKey } from './core/stored-key';
export { decodeTurn, encodeTurn } from './stores/state/memory-turn';
export { decodeState, encodeState } from './stores/state/state-text';
export { PostgresStores } from './stores/state/postgres/postgres-stores';
export type { PostgresPool } from './stores/state/postgres/postgres-pool';
export { SqliteStores } from './stores/state/sqlite/sqlite-stores';

// Large results, inputs and media of runs.
export { PostgresResults, SqliteResults } from './stores/results/database-results';
export { FileResults } from './stores/results/file-results';
export type { ResultKey, ResultStore } from './stores/results/result-store';
export { S3Results } from './stores/results/s3-results';

// Model calls in progress, from workers to programs that show them.
export type { Deltas } from './stores/deltas/deltas';
export { PostgresDeltas } from './stores/deltas/postgres-deltas';
export { ProcessDeltas } from './stores/deltas/process-deltas';
export type { DeltaEvent, LiveEvent, LivePlace, ModelDelta } from './protocol';
