/** Helpers with which users test their agents. */
import './testing-packages';

export {
  assertNoSecret,
  fetchHistories,
  fetchHistory,
  measureHistory,
  replay,
  type RunHistory,
} from './history';
export { memoryStoreContract } from './memory-store-contract';
export { stateStoreContract } from './state-store-contract';
export { type DevServer, startDevServer } from '../server/dev';
export { scriptedModel, type ScriptedModel, type ScriptedStep } from './scripted-model';
export { createTestEnvironment, type TestEnvironment } from './test-environment';
