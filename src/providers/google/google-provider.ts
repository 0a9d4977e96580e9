import type { Content, GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { singleAttempt } from '../attempt';
import { boundedFetch } from '../bounded-body';
import type { CallTarget } from '../errors';
import type { CallOptions, ModelProvider, ModelRequest, ModelResponse } from '../provider';
import { callWithOutputTool, canOfferOutputTool } from '../output-tool';
import { readStream } from '../read-stream';
import { callCount } from './call-ids';
import { googleClient, type GoogleProviderConfig } from './client';
import { googleCredentials } from './credentials';
import { fromResponse } from './from-response';
import { fromGoogleError } from './google-errors';
import { ResponseAccumulator } from './response-accumulator';
import { hasNativeOutput, toGenerateRequest, type GenerateBody } from './to-generate-request';

/** Some models have given a finish reason with every chunk, so a pause after one is not yet the end. */
const graceMs = 5000;

/** Gemini by generateContent, on the Gemini API and on Vertex. The environment is read and the SDK loaded at the first call. */
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
 * The body goes as a whole: the SDK's mapping of its own parameters would drop what it does not know of the parts that must
 * go back as they came. Its `contents` are a placeholder that the body replaces, for it wants some.
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
        // The SDK's errors leave the headers out, and with them the wait the API asks for.
        fetch: async (url: string | URL | Request, init?: RequestInit) => {
          const response = await boundedFetch(url, init);
          onHeaders(response.headers);
          return response;
        },
      },
    },
  };
}
