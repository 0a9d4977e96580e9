// The port to model APIs, the registry of adapters, prices and errors. An adapter loads its SDK when it is made.
export { isCut, StreamCut } from './attempt';
export { badResponse, type CallTarget, isNetworkError, providerErrorFromNetwork } from './errors';
export { costOf, type ModelPrice, type PriceTable, priceTable, spendOf, windowOf } from './prices';
export type {
  CallOptions,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
  ToolDeclaration,
} from './provider';
export { redact, redactError } from './redact';
export { requireProviderPackages, resolveProviders, unknownProviders } from './registry';
export { checkToolArguments } from './wire';
