/** Carriers of model calls in progress, from workers to those who show them. */
export type { Deltas } from './deltas/deltas';
export { PostgresDeltas, type PostgresDeltasOptions } from './deltas/postgres-deltas';
export { ProcessDeltas } from './deltas/process-deltas';
export type { DeltaEvent, LiveEvent, LivePlace, ModelDelta } from './protocol/live';
