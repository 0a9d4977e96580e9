import type * as sdkModule from '@google/genai';
import type { Content, GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { readStream, singleAttempt } from '../attempt';
import { boundedFetch } from '../bounded-body';
import {
  badResponse,
  type CallTarget,
  durationMs,
  type HeaderSource,
  isNetworkError,
  providerErrorFromNetwork,
  providerErrorFromStatus,
} from '../errors';
import type {
  CallOptions,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from '../provider';
import { callWithOutputTool, canOfferOutputTool } from '../output-tool';
import { asList, callCount } from '../wire';
import { type GoogleCredentials, googleCredentials } from './credentials';
import { fromResponse, ResponseAccumulator } from './from-response';
import { type GenerateBody, hasNativeOutput, toGenerateRequest } from './to-generate-request';
import { loadPeer, LonghaulError, ProviderError } from '../../protocol';
import { defined, isJsonObject, type Json, type JsonObject } from '../../base';

/** Some models send a finish reason with every chunk, so a pause after one is not yet the end. */
const graceMs = 5000;

/** Gemini by `generateContent`, on the Gemini API and on Vertex. The first call reads the environment and loads the SDK. */
export function createGoogleProvider(name: string, config: GoogleProviderConfig): ModelProvider {
  let client: GoogleGenAI | undefined;
  return {
    name,
    call: (request, options) => {
      const credentials = googleCredentials(name, config);
      const target = { provider: name, model: request.model, secrets: credentials.secrets };
      let headers: Headers | undefined;
      const attempt = (asked: ModelRequest) => (own: CallOptions, wasCut: () => boolean) => {
        if (credentials.missing !== undefined) throw credentials.missing;
        client ??= googleClient(config, credentials);
        const onHeaders = (received: Headers): void => {
          headers = received;
        };
        return generate({ client, config, target, onHeaders, wasCut }, asked, own);
      };
      const call = (asked: ModelRequest, own: CallOptions): Promise<ModelResponse> =>
        singleAttempt(own, attempt(asked), (error) => fromGoogleError(error, target, headers));
      return hasNativeOutput(request) || !canOfferOutputTool(request)
        ? call(request, options)
        : callWithOutputTool(request, options, call);
    },
    check: () => googleCredentials(name, config).missing?.message,
  };
}

type CallContext = {
  readonly client: GoogleGenAI;
  readonly config: GoogleProviderConfig;
  readonly target: CallTarget & { readonly model: string };
  readonly onHeaders: (headers: Headers) => void;
  readonly wasCut: () => boolean;
};

async function generate(
  { client, config, target, onHeaders, wasCut }: CallContext,
  request: ModelRequest,
  { signal, onActivity, onDelta }: CallOptions,
): Promise<ModelResponse> {
  const firstCall = callCount(request.messages);
  const body = toGenerateRequest(request, config.extra);
  const chunks = await client.models.generateContentStream(
    sdkParameters(request.model, body, { signal, onHeaders }),
  );
  const response = new ResponseAccumulator(onDelta, firstCall);
  await readStream(chunks, response, { onChunk: onActivity, wasCut, graceMs });
  return fromResponse(response.response(), { target, firstCall, wasCut: wasCut() });
}

/**
 * Sends the body as a whole. The SDK's own parameters would drop unknown fields of parts, and those parts must go back unchanged. The SDK
 * requires `contents`; the body replaces this placeholder.
 */
function sdkParameters(
  model: string,
  body: GenerateBody,
  { signal, onHeaders }: { signal: AbortSignal; onHeaders: (headers: Headers) => void },
): GenerateContentParameters {
  const placeholder: Content[] = [{ role: 'user', parts: [{ text: '' }] }];
  return {
    model,
    contents: placeholder,
    config: {
      abortSignal: signal,
      automaticContinuation: false,
      automaticFunctionCalling: { disable: true },
      httpOptions: {
        extraBody: { ...body },
        // The SDK's errors do not have the headers, which have the time to wait.
        fetch: async (url: string | URL | Request, init?: RequestInit) => {
          const response = await boundedFetch(url, init);
          onHeaders(response.headers);
          return response;
        },
      },
    },
  };
}

/** Settings that only this provider has: the version in the URL, and credentials for Vertex other than the default ones. */
type GoogleProviderConfig = ProviderConfig & {
  readonly apiVersion?: string;
  readonly googleAuthOptions?: sdkModule.GoogleGenAIOptions['googleAuthOptions'];
};

/** Loads the SDK. A worker that never calls Google does not load it. */
function googleClient(
  config: GoogleProviderConfig,
  { vertex, apiKey }: GoogleCredentials,
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
    ...defined({ apiKey, apiVersion, googleAuthOptions: config.googleAuthOptions }),
    // Without retry options the SDK does not retry.
    httpOptions: {
      ...defined({ baseUrl, headers: config.headers }),
    },
  });
}

/**
 * A base URL may end with the version or not. The Gemini API's default version is v1beta, because every feature, proxy and compatible
 * server has it.
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

/** The SDK has one class of errors: a status, and the body's JSON as the message. The headers come from our own `fetch`. */
export function fromGoogleError(
  error: unknown,
  target: CallTarget,
  headers: HeaderSource | undefined,
): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const { status, message } = (isJsonObject(error) ? error : {}) as Record<string, unknown>;
  const text = typeof message === 'string' ? message : '';
  if (typeof status === 'number') return statusError({ ...target, status, headers }, text);
  if (/default credentials|invalid_grant|invalid_rapt|refresh access token/i.test(text)) {
    return new ProviderError(
      'auth',
      `${target.provider}: Google refused or did not find the application default credentials.`,
      { provider: target.provider },
    );
  }
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  // The SDK's message would quote the chunk.
  return badResponse(target, 'the response cannot be read');
}

type GoogleFailure = CallTarget & {
  readonly status: number;
  readonly headers: HeaderSource | undefined;
};

function statusError(failure: GoogleFailure, text: string): ProviderError {
  const body = errorBody(text);
  const details = asList(body['details']).filter(isJsonObject);
  const retryDelay = details.map((detail) => detail['retryDelay']).find(isText);
  const error = providerErrorFromStatus({
    ...failure,
    message: isText(body['message']) ? body['message'] : text,
    code: isDailyQuota(details) ? 'quota_exceeded' : undefined,
    type: isText(body['status']) ? body['status'] : undefined,
    retryAfterMs: durationMs(retryDelay),
  });
  // The API answers a wrong key with status 400.
  if (!details.some((detail) => detail['reason'] === 'API_KEY_INVALID')) return error;
  return new ProviderError('auth', error.message, {
    provider: failure.provider,
    status: failure.status,
  });
}

/** Proxies put the body into a list. An error in a stream starts with a few other words. */
function errorBody(text: string): JsonObject {
  try {
    const parsed = JSON.parse(text.slice(Math.max(text.search(/[[{]/), 0))) as Json;
    const whole = Array.isArray(parsed) ? parsed[0] : parsed;
    const inner = isJsonObject(whole) ? whole['error'] : undefined;
    return isJsonObject(inner) ? inner : {};
  } catch {
    return {};
  }
}

/** A daily quota does not come back while a run retries. */
function isDailyQuota(details: readonly JsonObject[]): boolean {
  return details
    .flatMap((detail) => asList(detail['violations']))
    .some(
      (violation) =>
        isJsonObject(violation) &&
        isText(violation['quotaId']) &&
        violation['quotaId'].includes('PerDay'),
    );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
