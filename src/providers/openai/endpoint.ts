import {
  type AssistantMessage,
  type AssistantPart,
  keyVariable,
  LonghaulError,
} from '../../protocol';
import { type Environment, missingKey, readVariable } from '../api-keys';
import { redact } from '../redact';
import type { ProviderConfig } from '../provider';
import { isJsonObject, type JsonObject } from '../../base';

export const responsesApi = 'openai-responses';

export const chatApi = 'openai-chat';

const openAiUrl = 'https://api.openai.com/v1';

/** The server, API and key of a provider, from its configuration and the environment. */
export type Endpoint = {
  readonly api: OpenAiApi;
  readonly baseURL: string;
  /** Undefined if the server needs no key. */
  readonly apiKey: string | undefined;
  /** Texts to remove from every message. */
  readonly secrets: readonly string[];
  /** True for OpenAI itself. Compatible servers do not know all of its fields. */
  readonly ownHost: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
};

/** Throws if the key is missing or a setting is wrong. */
export function resolveEndpoint(
  name: string,
  config: ProviderConfig,
  environment: Environment = process.env,
): Endpoint {
  const baseURL = config.baseURL ?? readVariable(environment, 'OPENAI_BASE_URL') ?? openAiUrl;
  const hostname = hostnameOf(name, baseURL);
  const ownHost = isOpenAiHost(hostname);
  const { apiKey, secrets } = credentials(name, config, { ownHost, environment });
  return {
    api: openAiApi(config.api ?? environmentApi(name, environment), hostname),
    baseURL,
    apiKey,
    secrets,
    ownHost,
    maxTokensField: config.maxTokensField ?? (ownHost ? 'max_completion_tokens' : 'max_tokens'),
  };
}

function credentials(
  name: string,
  config: ProviderConfig,
  { ownHost, environment }: { ownHost: boolean; environment: Environment },
): Pick<Endpoint, 'apiKey' | 'secrets'> {
  const isUsualHost = ownHost || config.baseURL === undefined;
  const apiKey = config.apiKey ?? environmentKey(name, isUsualHost, environment);
  const headers = secretHeaders(config);
  if (apiKey === undefined && headers.length === 0 && ownHost) {
    throw missingKey(name, keyVariables(name));
  }
  return { apiKey, secrets: apiKey === undefined ? headers : [apiKey, ...headers] };
}

/** Gateways take their credentials in their own headers. */
function secretHeaders({ headers = {} }: ProviderConfig): string[] {
  return Object.entries(headers)
    .filter(([header]) => /auth|key|token|secret|cookie/i.test(header))
    .map(([, value]) => value);
}

function environmentApi(name: string, environment: Environment): string | undefined {
  return name === 'openai' ? readVariable(environment, 'LONGHAUL_OPENAI_API') : undefined;
}

/** All compatible servers know Chat Completions, but few know the Responses API. So another base URL changes the default. */
function openAiApi(chosen: string | undefined, hostname: string): OpenAiApi {
  switch (chosen) {
    case undefined:
      return hostname.endsWith('api.openai.com') ? responsesApi : chatApi;
    case responsesApi:
    case 'responses':
      return responsesApi;
    case chatApi:
    case 'chat':
      return chatApi;
    default:
      throw new LonghaulError(
        'SpecError',
        `${chosen} is not an API of the openai provider: use ${responsesApi} or ${chatApi}.`,
      );
  }
}

/** The OpenAI key goes to OpenAI, or to the server of OPENAI_BASE_URL. A server with another name never gets it. */
function environmentKey(
  name: string,
  isUsualHost: boolean,
  environment: Environment,
): string | undefined {
  const variables = isBuiltIn(name) || isUsualHost ? keyVariables(name) : [keyVariable(name)];
  return variables
    .map((variable) => readVariable(environment, variable))
    .find((key) => key !== undefined);
}

function isBuiltIn(name: string): boolean {
  return name === 'openai' || name === 'openai-chat';
}

function keyVariables(name: string): string[] {
  return isBuiltIn(name) ? ['OPENAI_API_KEY'] : [keyVariable(name), 'OPENAI_API_KEY'];
}

function hostnameOf(name: string, baseURL: string): string {
  if (!URL.canParse(baseURL)) {
    throw new LonghaulError('SpecError', `${name}: the base URL ${redact(baseURL)} is not a URL.`);
  }
  return new URL(baseURL).hostname;
}

function isOpenAiHost(hostname: string): boolean {
  return hostname.endsWith('api.openai.com') || hostname.endsWith('.openai.azure.com');
}

type OpenAiApi = typeof responsesApi | typeof chatApi;

export type OpenPart = { readonly part: AssistantPart; readonly sealed: JsonObject | undefined };

/** The parts, each with its sealed data if that came from this API. */
export function openParts({ parts, origin }: AssistantMessage, api: OpenAiApi): OpenPart[] {
  const isOwn = origin === undefined || origin.api === api;
  return parts.map((part) => {
    const data = isOwn && part.sealed?.api === api ? part.sealed.data : undefined;
    return { part, sealed: isJsonObject(data) ? data : undefined };
  });
}
