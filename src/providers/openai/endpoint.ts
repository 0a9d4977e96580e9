import { LonghaulError } from '../../protocol/errors';
import { missingKey } from '../errors';
import { redact } from '../redact';
import type { ProviderConfig } from '../provider';
import { chatApi, responsesApi, type OpenAiApi } from './api';

const openAiUrl = 'https://api.openai.com/v1';
const apiVariable = 'LONGHAUL_OPENAI_API';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where calls go, how they are written and with what key: what configuration and environment say together. */
export type Endpoint = {
  readonly api: OpenAiApi;
  readonly baseURL: string;
  /** Undefined for a server that needs none. */
  readonly apiKey: string | undefined;
  /** OpenAI itself; compatible servers know less of the wire. */
  readonly ownHost: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
};

/** Throws what is missing, a key above all. */
export function resolveEndpoint(
  name: string,
  config: ProviderConfig,
  environment: Environment = process.env,
): Endpoint {
  const baseURL = config.baseURL ?? given(environment['OPENAI_BASE_URL']) ?? openAiUrl;
  const hostname = hostnameOf(name, baseURL);
  const ownHost = isOpenAiHost(hostname);
  const key =
    config.apiKey ?? environmentKey(name, ownHost || config.baseURL === undefined, environment);
  if (key === undefined && ownHost) throw missingKey(name, keyVariables(name));
  return {
    api: openAiApi(config, hostname, environment),
    baseURL,
    apiKey: key,
    ownHost,
    maxTokensField: config.maxTokensField ?? (ownHost ? 'max_completion_tokens' : 'max_tokens'),
  };
}

/** Compatible servers all know Chat Completions, few the Responses API: another base URL changes the default. */
function openAiApi(config: ProviderConfig, hostname: string, environment: Environment): OpenAiApi {
  const chosen = config.api ?? given(environment[apiVariable]);
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

/** The OpenAI key goes to OpenAI, or where OPENAI_BASE_URL points; a server of another name never gets it. */
function environmentKey(
  name: string,
  isOwn: boolean,
  environment: Environment,
): string | undefined {
  const isBuiltIn = name === 'openai' || name === 'openai-chat';
  const variables = isBuiltIn || isOwn ? keyVariables(name) : [ownVariable(name)];
  return variables.map((variable) => given(environment[variable])).find((key) => key !== undefined);
}

function keyVariables(name: string): string[] {
  return name === 'openai' || name === 'openai-chat'
    ? ['OPENAI_API_KEY']
    : [ownVariable(name), 'OPENAI_API_KEY'];
}

function ownVariable(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
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

function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
