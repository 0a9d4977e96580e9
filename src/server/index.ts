// How to reach a Temporal server, what it knows of workers and search attributes, and how what it stores is encrypted.
import './client-packages';

export {
  loadConnection,
  type LoadedConnection,
  namespaceMissing,
  type ServerOptions,
  serverUnavailable,
} from './connection-options';
export {
  clientConverter,
  contentCodecs,
  type EncryptionOptions,
  failureConverterPath,
  tryEncryption,
  workerConverter,
} from './encryption';
export { isGone, type PollingWorker, pollingWorkers, servedQueues, toDate } from './pollers';
export { queryInterceptor } from './query-interceptor';
export {
  addAttributes,
  attributeNames,
  type AttributeState,
  attributeTypes,
  isRegistered,
  readAttributes,
  typedNames,
} from './search-attributes';
export { isSameVersion, placeOf, type TaskPlace, type WorkerVersion } from './worker-versions';
export {
  checkSdk,
  fitsPrebuiltBundle,
  sdkCopies,
  sdkPart,
  sdkProblem,
  untestedSdk,
} from './temporal-sdk';
