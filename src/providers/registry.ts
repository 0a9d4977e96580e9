import { type AgentSpec, loadPeer, LonghaulError, type Peer } from '../protocol';
import { didYouMean, isJsonObject, nearest, type Problem, quote } from '../base';
import { createAnthropicProvider } from './anthropic/anthropic-provider';
import { createGoogleProvider } from './google/google-provider';
import { createOpenAiProvider } from './openai/openai-provider';
import type { ModelProvider, ProviderConfig } from './provider';

type Api = NonNullable<ProviderConfig['api']>;

export type ProviderConfigs = Readonly<Record<string, ProviderConfig | ModelProvider>>;

/** How to make a provider, and the package that it loads at its first call. */
type Maker = { readonly create: ProviderFactory; readonly package: Peer };

const openAi: Maker = { create: createOpenAiProvider, package: 'openai' };

const anthropic: Maker = { create: createAnthropicProvider, package: '@anthropic-ai/sdk' };

const google: Maker = { create: createGoogleProvider, package: '@google/genai' };

const makers: Readonly<Record<Api, Maker>> = {
  'openai-responses': openAi,
  'openai-chat': openAi,
  'anthropic-messages': anthropic,
  'google-generate-content': google,
};

const configOptions: Readonly<Record<keyof ProviderConfig, true>> = {
  api: true,
  apiKey: true,
  baseURL: true,
  headers: true,
  vertex: true,
  maxTokensField: true,
  extra: true,
};

type BuiltIn = { readonly maker: Maker; readonly api?: Api; readonly like?: string };

/** Providers that need no configuration. One without its own configuration takes that of `like`. */
const builtIn: Readonly<Record<string, BuiltIn>> = {
  openai: { maker: openAi },
  'openai-chat': { maker: openAi, api: 'openai-chat', like: 'openai' },
  anthropic: { maker: anthropic },
  google: { maker: google },
  gemini: { maker: google, like: 'google' },
  vertex: { maker: google },
};

/** The providers of a worker by name: the built-in ones, and others with an api or a base URL. Nothing is loaded before a call. */
export function resolveProviders(
  configs: ProviderConfigs = {},
): ReadonlyMap<string, ModelProvider> {
  if (!isJsonObject(configs))
    throw new LonghaulError(
      'SpecError',
      'providers must be an object of providers by name, as in {openai: {…}}',
    );
  const names = new Set([...Object.keys(builtIn), ...Object.keys(configs)]);
  return new Map([...names].map((name) => [name, resolveProvider(name, configs)]));
}

/** The problems of the agents' models: providers that a worker with these `names` does not have. */
export function unknownProviders(
  agents: readonly Pick<AgentSpec, 'id' | 'model' | 'context'>[],
  names: Iterable<string>,
): readonly Problem[] {
  const known = [...names].sort();
  return agents.flatMap(({ id, model, context }) => {
    const named = new Set([model.provider, context?.model?.provider ?? model.provider]);
    const missing = [...named].filter((provider) => !known.includes(provider));
    return missing.map((provider) => ({
      path: `agent ${quote(id)}`,
      message: `names the model provider ${quote(provider)}, which this worker does not have${didYouMean(provider, known) || '.'} Its providers: ${known.join(', ')}`,
    }));
  });
}

/**
 * Throws `PackageMissing` if one of these providers needs a package that is not installed. Unknown names pass.
 */
export function requireProviderPackages(
  names: Iterable<string>,
  configs: ProviderConfigs = {},
  resolve: (name: string) => unknown = require.resolve,
): void {
  for (const name of names) {
    const given = givenProvider(name, configs);
    if (given === undefined || isModelProvider(given)) continue;
    const { package: needed } = makerOf(name, given);
    loadPeer(needed, () => resolve(needed));
  }
}

function resolveProvider(name: string, configs: ProviderConfigs): ModelProvider {
  const own = entryOf<unknown>(configs, name);
  if (own !== undefined) checkGiven(name, own);
  const given = givenProvider(name, configs) ?? {};
  return isModelProvider(given) ? given : createProvider(name, given);
}

/** The provider's own configuration, or the one of `like`. */
function givenProvider(
  name: string,
  configs: ProviderConfigs,
): ProviderConfig | ModelProvider | undefined {
  const known = entryOf(builtIn, name);
  return entryOf(configs, name) ?? (known && inherited(known, configs));
}

/** An object without `call` is a configuration, so its options must be known. */
function checkGiven(name: string, given: unknown): void {
  if (!isJsonObject(given)) {
    const found = given === null ? 'null' : `a ${Array.isArray(given) ? 'list' : typeof given}`;
    throw new LonghaulError(
      'SpecError',
      `Provider "${name}" must be a provider with call(), or a configuration such as {apiKey, baseURL}, not ${found}.`,
    );
  }
  if (isModelProvider(given)) return;
  const unknown = Object.keys(given).find((option) => !Object.hasOwn(configOptions, option));
  if (unknown === undefined) return;
  const near = nearest(unknown, Object.keys(configOptions));
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'a provider has call().';
  throw new LonghaulError(
    'SpecError',
    `Provider "${name}" has no call() and the unknown option "${unknown}"; ${hint}`,
  );
}

/** A name that promises one api inherits a configuration, but not a user's provider object. */
function inherited(
  { like: name, api }: BuiltIn,
  configs: ProviderConfigs,
): ProviderConfig | ModelProvider {
  const like = name === undefined ? undefined : entryOf(configs, name);
  return like === undefined || (isModelProvider(like) && api !== undefined) ? {} : like;
}

function createProvider(name: string, config: ProviderConfig): ModelProvider {
  const api = apiOf(name, config);
  return makerOf(name, config).create(name, api === undefined ? config : { ...config, api });
}

function makerOf(name: string, config: ProviderConfig): Maker {
  const api = apiOf(name, config);
  const maker =
    api === undefined
      ? (entryOf(builtIn, name)?.maker ?? guessedMaker(config))
      : entryOf(makers, api);
  if (maker === undefined) throw unusableConfig(name, config);
  return maker;
}

function apiOf(name: string, config: ProviderConfig): Api | undefined {
  return entryOf(builtIn, name)?.api ?? config.api;
}

function entryOf<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The default for a base URL is Chat Completions, which all compatible servers know. */
function guessedMaker({ baseURL, vertex }: ProviderConfig): Maker | undefined {
  if (vertex !== undefined) return google;
  return baseURL === undefined ? undefined : openAi;
}

function unusableConfig(name: string, { api }: ProviderConfig): LonghaulError {
  const found = api === undefined ? 'has no api' : `has the unknown api "${api}"`;
  const apis = Object.keys(makers).join(', ');
  return new LonghaulError(
    'SpecError',
    `Provider "${name}" ${found}. Give it one of ${apis}, or a baseURL.`,
  );
}

function isModelProvider(value: object): value is ModelProvider {
  return 'call' in value && typeof value.call === 'function';
}

/** Makes a provider. It must be cheap: the first call reads the environment, loads the SDK and makes its client. */
type ProviderFactory = (name: string, config: ProviderConfig) => ModelProvider;
