import type { APIPromise, ClientOptions, OpenAI } from 'openai';
import { readStream, singleAttempt, type StreamReader } from '../attempt';
import type { CallOptions } from '../provider';
import { defined, isJsonObject, type JsonObject } from '../../base';
import {
  type AssistantPart,
  type FinishReason,
  LonghaulError,
  type ResponseIds,
  type Usage,
} from '../../protocol';
import {
  badResponse,
  type CallTarget,
  type ErrorBody,
  type HeaderSource,
  isNetworkError,
  providerErrorFromBody,
  providerErrorFromNetwork,
  providerErrorFromStatus,
} from '../errors';
import type { Endpoint } from './endpoint';
import { boundedFetch } from '../bounded-body';
import { tokenCount as count } from '../wire';

const listener = Symbol('onActivity');

/**
 * Reports every chunk that arrives. The SDK hides the comments with which servers keep a stream alive, and a model that works through a
 * long prompt sends nothing else.
 */
export const reportingFetch: typeof fetch = async (url, init) => {
  const { [listener]: onActivity } = { ...init } as Reported;
  return await boundedFetch(url, init, onActivity);
};

/** The data of a call, without its request. */
export type CallContext = {
  readonly client: OpenAI;
  readonly endpoint: Endpoint;
  readonly target: CallTarget & { readonly model: string };
  readonly extra?: JsonObject;
};

export type StreamedCall<Chunk, Finished> = {
  readonly send: (options: {
    readonly signal: AbortSignal;
    readonly fetchOptions: FetchOptions;
  }) => APIPromise<AsyncIterable<Chunk>>;
  readonly read: (onDelta: CallOptions['onDelta']) => StreamReader<Chunk> & {
    /** Undefined until the stream has ended the answer. */
    readonly finished: Finished | undefined;
    /** The answer so far, if the stream was cut. */
    readonly soFar: Finished;
  };
  /** The part that is missing if the stream ends early, such as `a finish reason`. */
  readonly ending: string;
};

/** One attempt of either API. The answer's headers have the request id. */
export async function streamedCall<Chunk, Finished>(
  { target }: CallContext,
  options: CallOptions,
  { send, read, ending }: StreamedCall<Chunk, Finished>,
): Promise<{ readonly finished: Finished; readonly requestId: string | null }> {
  const attempt = async ({ signal, onDelta, onActivity }: CallOptions, wasCut: () => boolean) => {
    const sent = send({ signal, fetchOptions: reportingTo(onActivity) });
    const { data, request_id: requestId } = await sent.withResponse();
    const stream = read(onDelta);
    await readStream(data, stream, { wasCut });
    const finished = wasCut() ? stream.soFar : stream.finished;
    if (finished === undefined) throw badResponse(target, `the stream ended without ${ending}`);
    return { finished, requestId };
  };
  return await singleAttempt(options, attempt, (error) => fromOpenAiError(error, target));
}

export function idsField(
  responseId: unknown,
  requestId: string | null,
): { readonly ids?: ResponseIds } {
  const ids = defined({
    response: typeof responseId === 'string' && responseId !== '' ? responseId : undefined,
    request: requestId || undefined,
  });
  return Object.keys(ids).length === 0 ? {} : { ids };
}

type FetchOptions = NonNullable<ClientOptions['fetchOptions']>;

type Reported = { readonly [listener]?: () => void };

/** Request options with the listener for `reportingFetch`. The calls of a client share one `fetch`, but each has its own listener. */
function reportingTo(onActivity: () => void): FetchOptions {
  const options: Reported = { [listener]: onActivity };
  return options as FetchOptions;
}

/**
 * A cut turn keeps its reason even if it has calls. Otherwise this looks for calls in the content and does not trust the provider's word.
 */
export function responsesFinishReason(
  status: string | undefined,
  incompleteReason: string | undefined,
  content: readonly AssistantPart[],
): FinishReason {
  if (status === 'incomplete') {
    if (incompleteReason === 'content_filter') return 'content_filter';
    return incompleteReason === undefined || incompleteReason === 'max_output_tokens'
      ? 'length'
      : 'other';
  }
  return finishOfContent(content) ?? 'stop';
}

export function chatFinishReason(reason: string, content: readonly AssistantPart[]): FinishReason {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  if (reason === 'content_filter') return 'content_filter';
  const found = finishOfContent(content);
  if (found !== undefined) return found;
  return ['stop', 'eos', 'end_turn', 'stop_sequence'].includes(reason) ? 'stop' : 'other';
}

function finishOfContent(content: readonly AssistantPart[]): FinishReason | undefined {
  if (content.some((part) => part.type === 'tool_call')) return 'tool_calls';
  return content.some((part) => part.type === 'refusal') ? 'refusal' : undefined;
}

/** The token counts of either API. Compatible servers leave out the counts that they do not have. */
export type WireUsage = {
  readonly input_tokens?: unknown;
  readonly prompt_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly input_tokens_details?: object | null;
  readonly prompt_tokens_details?: object | null;
  readonly output_tokens_details?: object | null;
  readonly completion_tokens_details?: object | null;
};

/** Both APIs count alike, under different names: the input includes cached tokens, and the output includes reasoning. */
export function fromOpenAiUsage(told: WireUsage | null | undefined): Usage {
  const usage = told ?? {};
  const inputDetails = details(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const outputDetails = details(usage.output_tokens_details ?? usage.completion_tokens_details);
  const inputTokens = count(usage.input_tokens ?? usage.prompt_tokens);
  const outputTokens = count(usage.output_tokens ?? usage.completion_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage.total_tokens) ?? sum(inputTokens, outputTokens),
    cacheReadTokens: count(inputDetails['cached_tokens']),
    cacheWriteTokens: count(inputDetails['cache_write_tokens']),
    reasoningTokens: count(outputDetails['reasoning_tokens']),
  };
}

function details(value: object | null | undefined): Readonly<Record<string, unknown>> {
  return { ...value };
}

function sum(input: number | null, output: number | null): number | null {
  return input === null || output === null ? null : input + output;
}

/** An error that the SDK throws. This reads its fields, because in some realms its classes come from another module instance. */
type SdkError = {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly headers?: unknown;
  readonly message?: unknown;
};

export function fromOpenAiError(error: unknown, target: CallTarget): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const { status, error: body, headers, message } = (isJsonObject(error) ? error : {}) as SdkError;
  if (typeof status === 'number') {
    const sent = headers as HeaderSource | undefined;
    return providerErrorFromStatus({
      ...target,
      ...errorBody(body ?? plainText(message)),
      status,
      headers: sent,
    });
  }
  if (isJsonObject(body)) return streamedError(body, target);
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  return badResponse(
    target,
    error instanceof Error ? error.message : 'the response cannot be read',
  );
}

/** In a stream, gateways send the status of the model behind them as the code of an error. */
function streamedError(body: Record<string, unknown>, target: CallTarget): LonghaulError {
  const status = body['code'];
  return typeof status === 'number' && status >= 400 && status < 600
    ? providerErrorFromStatus({ ...target, ...errorBody(body), status })
    : providerErrorFromBody(target, errorBody(body));
}

/** If a body is not JSON, the SDK puts it after the status. Proxies answer with whole pages, which are of no use. */
function plainText(message: unknown): string | undefined {
  const text = typeof message === 'string' ? message.replace(/^\d{3} /, '').trim() : '';
  return text === '' || text.startsWith('<') || text.startsWith('status code (') ? undefined : text;
}

/** Reads only the fields with an error's own words: servers repeat the request in other fields. */
function errorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { message: body };
  if (!isJsonObject(body)) return {};
  const { code, type } = body;
  return {
    message: [body['message'], body['detail'], body['error']].find(
      (text) => typeof text === 'string',
    ),
    code: typeof code === 'string' ? code : undefined,
    type: typeof type === 'string' ? type : undefined,
  };
}
