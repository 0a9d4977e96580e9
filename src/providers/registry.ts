import { SpecError } from '../protocol/error-classes';
import type { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { createAnthropicProvider } from './anthropic/anthropic-provider';
import { createGoogleProvider } from './google/google-provider';
import { createOpenAiProvider } from './openai/openai-provider';
import { nearest } from '../base/nearest';
import type { ModelProvider, ProviderConfig } from './provider';
import type { ProviderFactory } from './provider-factory';

type Api = NonNullable<ProviderConfig['api']>;

export type ProviderConfigs = Readonly<Record<string, ProviderConfig | ModelProvider>>;

const factories: Readonly<Record<Api, ProviderFactory>> = {
  'openai-responses': createOpenAiProvider,
  'openai-chat': createOpenAiProvider,
  'anthropic-messages': createAnthropicProvider,
  'google-generate-content': createGoogleProvider,
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

type BuiltIn = { readonly factory: ProviderFactory; readonly api?: Api; readonly like?: string };

/** Known without any configuration. `like` names the one whose configuration counts where it has none of its own. */
const builtIn: Readonly<Record<string, BuiltIn>> = {
  openai: { factory: createOpenAiProvider },
  'openai-chat': { factory: createOpenAiProvider, api: 'openai-chat', like: 'openai' },
  anthropic: { factory: createAnthropicProvider },
  google: { factory: createGoogleProvider },
  gemini: { factory: createGoogleProvider, like: 'google' },
  vertex: { factory: createGoogleProvider },
};

/**
 * The providers a worker knows by name: the built-in ones, configured or not, and any others with an api or a base URL of
 * their own. Nothing is loaded, and no environment read, before a provider is used.
 */
export function resolveProviders(
  configs: ProviderConfigs = {},
): ReadonlyMap<string, ModelProvider> {
  if (!isJsonObject(configs))
    throw new SpecError('providers must be an object of providers by name, as in {openai: {…}}');
  const names = new Set([...Object.keys(builtIn), ...Object.keys(configs)]);
  return new Map([...names].map((name) => [name, resolveProvider(name, configs)]));
}

function resolveProvider(name: string, configs: ProviderConfigs): ModelProvider {
  const known = entryOf(builtIn, name);
  const own = entryOf<unknown>(configs, name);
  if (own !== undefined) checkGiven(name, own);
  const given = entryOf(configs, name) ?? inherited(known, configs);
  return isModelProvider(given) ? given : createProvider(name, given, known);
}

/** What has no `call` is a configuration: of one that was meant as a provider nothing would be left. */
function checkGiven(name: string, given: unknown): void {
  if (!isJsonObject(given)) {
    const found = given === null ? 'null' : `a ${Array.isArray(given) ? 'list' : typeof given}`;
    throw new SpecError(
      `Provider "${name}" must be a provider with call(), or a configuration such as {apiKey, baseURL}, not ${found}.`,
    );
  }
  if (isModelProvider(given)) return;
  const unknown = Object.keys(given).find((option) => !Object.hasOwn(configOptions, option));
  if (unknown === undefined) return;
  const near = nearest(unknown, Object.keys(configOptions));
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'a provider has call().';
  throw new SpecError(
    `Provider "${name}" has no call() and the unknown option "${unknown}"; ${hint}`,
  );
}

/** A provider made elsewhere speaks what it speaks: where one api is promised, only a configuration is inherited. */
function inherited(
  known: BuiltIn | undefined,
  configs: ProviderConfigs,
): ProviderConfig | ModelProvider {
  const like = known?.like === undefined ? undefined : entryOf(configs, known.like);
  return like === undefined || (isModelProvider(like) && known?.api !== undefined) ? {} : like;
}

function createProvider(
  name: string,
  config: ProviderConfig,
  known: BuiltIn | undefined,
): ModelProvider {
  const api = known?.api ?? config.api;
  const factory =
    api === undefined ? (known?.factory ?? guessedFactory(config)) : entryOf(factories, api);
  if (factory === undefined) throw unusableConfig(name, config);
  return factory(name, api === undefined ? config : { ...config, api });
}

function entryOf<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** Compatible servers all know Chat Completions: the default for a base URL. */
function guessedFactory({ baseURL, vertex }: ProviderConfig): ProviderFactory | undefined {
  if (vertex !== undefined) return createGoogleProvider;
  return baseURL === undefined ? undefined : createOpenAiProvider;
}

function unusableConfig(name: string, { api }: ProviderConfig): LonghaulError {
  const found = api === undefined ? 'has no api' : `has the unknown api "${api}"`;
  const apis = Object.keys(factories).join(', ');
  return new SpecError(`Provider "${name}" ${found}. Give it one of ${apis}, or a baseURL.`);
}

function isModelProvider(value: object): value is ModelProvider {
  return 'call' in value && typeof value.call === 'function';
}
