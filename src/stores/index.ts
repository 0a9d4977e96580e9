// The ports of the stores, and what workers and clients need to use them.
export { type Deltas, isDeltas } from './deltas/deltas';
export {
  isResultStore,
  memoryMark,
  type ResultScope,
  type ResultStore,
  scopeOf,
  sha256Of,
} from './results/result-store';
export { atOnce, largeMedia, StoredContent } from './results/stored-content';
export {
  checkStores,
  type MemoryStore,
  type StoredMemoryTurn,
  storeNames,
  type Stores,
} from './state/memory-store';
export { checkSaid, instantOf } from './state/memory-turn';
export { keyValues, userKeyOf } from './state/state-key';
export type { SessionKey, SessionStore, StateStores, UserKey } from './state/state-store';
export { encodeState } from './state/state-text';
