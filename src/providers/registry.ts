import { LonghaulError } from '../protocol/errors';
import { loadPeer, type Peer } from '../protocol/peers';
import { isJsonObject } from '../base/json';
import { createAnthropicProvider } from './anthropic/anthropic-provider';
import { createGoogleProvider } from './google/google-provider';
import { createOpenAiProvider } from './openai/openai-provider';
import { nearest } from '../base/problem';
import type { ModelProvider, ProviderConfig } from './provider';

type Api = NonNullable<ProviderConfig['api']>;

export type ProviderConfigs = Readonly<Record<string, ProviderConfig | ModelProvider>>;

/** How a provider is made, and the package it loads at its first call. */
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

/** Known without any configuration. `like` names the one whose configuration counts where it has none of its own. */
const builtIn: Readonly<Record<string, BuiltIn>> = {
  openai: { maker: openAi },
  'openai-chat': { maker: openAi, api: 'openai-chat', like: 'openai' },
  anthropic: { maker: anthropic },
  google: { maker: google },
  gemini: { maker: google, like: 'google' },
  vertex: { maker: google },
};

/**
 * The providers a worker knows by name: the built-in ones, configured or not, and any others with an api or a base URL of
 * their own. Nothing is loaded, and no environment read, before a provider is used.
 */
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

/**
 * Throws `PackageMissing` when one of these providers needs a package that is not installed. A name that is no provider is left to the
 * call: another worker may know it.
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

/** The name's own configuration, or the one it takes over; undefined when nothing says how to reach it. */
function givenProvider(
  name: string,
  configs: ProviderConfigs,
): ProviderConfig | ModelProvider | undefined {
  const known = entryOf(builtIn, name);
  return entryOf(configs, name) ?? (known && inherited(known, configs));
}

/** What has no `call` is a configuration: of one that was meant as a provider nothing would be left. */
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

/** A provider made elsewhere speaks what it speaks: where one api is promised, only a configuration is inherited. */
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

/** Compatible servers all know Chat Completions: the default for a base URL. */
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

/**
 * Makes a provider under a name. It must be cheap: the SDK is loaded and its client constructed at the first call, when the
 * environment has been read. Load it with `require` inside a function: Jest cannot run a native `import()` of the built package.
 */
type ProviderFactory = (name: string, config: ProviderConfig) => ModelProvider;
