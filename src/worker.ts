/** Workers: the processes that run agents. */
export type { DeltaEvent } from './activities';
export type {
  CallOptions,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from './providers/provider';
export { createWorker } from './worker/create-worker';
export type { CreateWorkerOptions, LonghaulOptions } from './worker/options';
export { LonghaulPlugin } from './worker/plugin';
