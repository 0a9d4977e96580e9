import type * as sdkModule from '@google/genai';
import { loadPeer } from '../../protocol/peers';
import type { ProviderConfig } from '../provider';
import type { Credentials } from './credentials';

/** What only this provider can be told: the version in the URL, and other credentials on Vertex than the default ones. */
export type GoogleProviderConfig = ProviderConfig & {
  readonly apiVersion?: string;
  readonly googleAuthOptions?: sdkModule.GoogleGenAIOptions['googleAuthOptions'];
};

/** The SDK is loaded here and not before: a worker that never calls Google does not pay for it. */
export function googleClient(
  config: GoogleProviderConfig,
  { vertex, apiKey }: Credentials,
): sdkModule.GoogleGenAI {
  const sdk = loadPeer(
    '@google/genai',
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package
    () => require('@google/genai') as typeof sdkModule,
  );
  const { baseUrl, apiVersion } = resolveUrl(config, vertex);
  return new sdk.GoogleGenAI({
    vertexai: vertex,
    ...config.vertex,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(config.googleAuthOptions === undefined
      ? {}
      : { googleAuthOptions: config.googleAuthOptions }),
    // Without retry options it does not retry.
    httpOptions: {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(config.headers === undefined ? {} : { headers: config.headers }),
    },
  });
}

/**
 * Base URLs are written with and without the version. On the Gemini API it is v1beta unless somebody says otherwise: the
 * version that every feature, proxy and compatible server has.
 */
function resolveUrl(
  { baseURL, apiVersion }: GoogleProviderConfig,
  vertex: boolean,
): { readonly baseUrl?: string | undefined; readonly apiVersion?: string | undefined } {
  const [, base, version] = /^(.*?)\/(v\d+(?:(?:alpha|beta)\d*)?)\/?$/.exec(baseURL ?? '') ?? [];
  const isInEnvironment = (process.env['GOOGLE_GENAI_API_VERSION'] ?? '').trim() !== '';
  const usual = vertex || isInEnvironment ? undefined : 'v1beta';
  return { baseUrl: base ?? baseURL, apiVersion: apiVersion ?? version ?? usual };
}
