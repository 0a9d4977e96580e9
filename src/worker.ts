/** Workers: the processes that run agents. */
import './worker/worker-packages';

export type { WorkerLogger } from './activities/call-log';
export type { InlineSpecInfo, InlineSpecs } from './activities/definition/inline-spec';
export type { CheckSignature, OnPause } from './activities/people/hooks';
export type { PauseNotice } from './protocol/activities';
export type { DeltaEvent } from './protocol/live';
export type {
  CallOptions,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from './providers/provider';
export type {
  ClearOptions,
  LoadTurnsOptions,
  MemoryKey,
  MemoryStore,
  MemoryStores,
  SaveTurnOptions,
  Stores,
  StoredMemoryTurn,
} from './stores/memory-store';
export { storedKey } from './core/stored-key';
export { decodeTurn, encodeTurn } from './stores/memory-turn';
export { PostgresStores, type PostgresStoresOptions } from './stores/postgres/postgres-stores';
export type { PostgresClient, PostgresPool } from './stores/postgres/postgres-pool';
export { SqliteStores, type SqliteStoresOptions } from './stores/sqlite/sqlite-stores';
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
} from './stores/state-store';
export { decodeState, encodeState } from './stores/state-text';
export type { ModelPrice, PriceTable } from './providers/prices';
export { createWorker } from './worker/create-worker';
export type { CreateWorkerOptions, LonghaulOptions } from './worker/options';
export { LonghaulPlugin } from './worker/plugin';
