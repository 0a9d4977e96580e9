/** Workers: the processes that run agents. */
import './worker/worker-packages';

export type { WorkerLogger } from './activities/options';
export type { InlineSpecInfo, InlineSpecs } from './activities/options';
export type { CheckSignature, OnPause } from './activities/options';
export type { PauseNotice } from './protocol';
export type { DeltaEvent } from './protocol';
export type {
  CallOptions,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from './providers';
export type { ModelPrice, PriceTable } from './providers';
export { createWorker } from './worker/create-worker';
export type { CreateWorkerOptions, LonghaulOptions } from './worker/options';
export { LonghaulPlugin } from './worker/plugin';
