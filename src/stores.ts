/** Stores: of state and memory, of large results, and of model calls in progress. */

// State and memory of conversations.
export type {
  ClearOptions,
  LoadTurnsOptions,
  MemoryKey,
  MemoryStore,
  MemoryStores,
  SaveTurnOptions,
  Stores,
  StoredMemoryTurn,
} from './stores/state/memory-store';
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
export {
  PostgresStores,
  type PostgresStoresOptions,
} from './stores/state/postgres/postgres-stores';
export type { PostgresClient, PostgresPool } from './stores/state/postgres/postgres-pool';
export { SqliteStores, type SqliteStoresOptions } from './stores/state/sqlite/sqlite-stores';

// Large results, inputs and media of runs.
export { PostgresResults, SqliteResults } from './stores/results/database-results';
export { FileResults, type FileResultsOptions } from './stores/results/file-results';
export type {
  DeleteScopeOptions,
  ResultKey,
  ResultScope,
  ResultStore,
  ScopePage,
} from './stores/results/result-store';
export { S3Results, type S3ResultsOptions } from './stores/results/s3-results';

// Model calls in progress, from workers to those who show them.
export type { Deltas } from './stores/deltas/deltas';
export { PostgresDeltas, type PostgresDeltasOptions } from './stores/deltas/postgres-deltas';
export { ProcessDeltas } from './stores/deltas/process-deltas';
export type { DeltaEvent, LiveEvent, LivePlace, ModelDelta } from './protocol/live';
