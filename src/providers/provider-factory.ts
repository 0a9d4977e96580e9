import type { ModelProvider, ProviderConfig } from './provider';

/**
 * Makes a provider under a name. It must be cheap: the SDK is loaded and its client constructed at the first call, when the
 * environment has been read. Load it with `require` inside a function: Jest cannot run a native `import()` of the built package.
 */
export type ProviderFactory = (name: string, config: ProviderConfig) => ModelProvider;
