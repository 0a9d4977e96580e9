/** Helpers with which users test their agents. */
import './testing-packages';

export {
  assertNoSecret,
  fetchHistories,
  fetchHistory,
  measureHistory,
  replay,
  type HistorySize,
  type RunHistory,
} from './history';
export { memoryStoreContract, type MemoryStoreContractOptions } from './memory-store-contract';
export {
  stateStoreContract,
  type ContractCase,
  type StateStoreContractOptions,
} from './state-store-contract';
export { type DevServer, type DevServerOptions, startDevServer } from '../server/dev';
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  type ScriptedToolCall,
} from './scripted-model';
export {
  createTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from './test-environment';
