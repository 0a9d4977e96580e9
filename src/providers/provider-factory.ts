import type { ModelProvider, ProviderConfig } from './provider';

/**
 * Makes a provider under a name. It must be cheap: the SDK is loaded and its client constructed at the first call, when the
 * environment has been read.
 */
export type ProviderFactory = (name: string, config: ProviderConfig) => ModelProvider;
