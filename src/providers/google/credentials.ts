import { keyVariable, type ProviderError } from '../../protocol';
import { type Environment, missingKey, readVariable } from '../api-keys';
import type { ProviderConfig } from '../provider';

type ReadVariable = (variable: string) => string | undefined;

export type GoogleCredentials = {
  readonly vertex: boolean;
  /** Undefined on Vertex: the SDK then uses Google's application default credentials. */
  readonly apiKey: string | undefined;
  readonly secrets: readonly string[];
  /** The problem, if there are no credentials. Longhaul reports it itself, because Google's SDK would ask the machine it runs on. */
  readonly missing: ProviderError | undefined;
};

/** Decides which of Google's two services is meant, and with which credentials. */
export function googleCredentials(
  name: string,
  config: ProviderConfig,
  environment: Environment = process.env,
): GoogleCredentials {
  const read: ReadVariable = (variable) => readVariable(environment, variable);
  const key = keyOf(name, config, read);
  const secrets = [key.value ?? [], Object.values(config.headers ?? {})].flat();
  if (isVertex(name, config, read)) {
    return { vertex: true, secrets, ...onVertex(name, config, { read, key }) };
  }
  const apiKey = key.value ?? (key.isOptional ? 'none' : undefined);
  const missing = apiKey === undefined ? missingKey(name, key.variables) : undefined;
  return { vertex: false, apiKey, secrets, missing };
}

/** A project wins over a key that only the environment has, as in Google's SDK. */
function onVertex(
  name: string,
  config: ProviderConfig,
  { read, key }: { readonly read: ReadVariable; readonly key: ApiKey },
): Pick<GoogleCredentials, 'apiKey' | 'missing'> {
  const project = config.vertex?.project ?? read('GOOGLE_CLOUD_PROJECT');
  const apiKey = project === undefined ? key.value : config.apiKey;
  const isReady = project !== undefined || apiKey !== undefined || key.isOptional;
  const wanted = ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_API_KEY'];
  return { apiKey, missing: isReady ? undefined : missingKey(name, wanted) };
}

type ApiKey = {
  readonly value: string | undefined;
  readonly variables: readonly string[];
  readonly isOptional: boolean;
};

/**
 * A provider with another name reads its own key first. A server at another base URL never gets Google's key; a local server may need no
 * key.
 */
function keyOf(
  name: string,
  { apiKey, baseURL, headers }: ProviderConfig,
  read: ReadVariable,
): ApiKey {
  const isBuiltIn = ['google', 'gemini', 'vertex'].includes(name);
  const isElsewhere = !isBuiltIn && baseURL !== undefined;
  const own = isBuiltIn ? [] : [keyVariable(name)];
  // Google's SDK prefers the second of these variables.
  const shared = isElsewhere ? [] : ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];
  const inOrder = [...own, ...shared.toReversed()];
  return {
    value: apiKey ?? inOrder.map(read).find((value) => value !== undefined),
    variables: [...own, ...shared],
    isOptional:
      isElsewhere ||
      Object.keys(headers ?? {}).some((header) =>
        /^(?:x-goog-api-key|authorization)$/i.test(header),
      ),
  };
}

/** Reads the environment as Google's SDK does: the newer variable wins. */
function isVertex(name: string, config: ProviderConfig, read: ReadVariable): boolean {
  const chosen = read('GOOGLE_GENAI_USE_ENTERPRISE') ?? read('GOOGLE_GENAI_USE_VERTEXAI');
  return config.vertex !== undefined || name === 'vertex' || chosen?.toLowerCase() === 'true';
}
