import { chainTexts, copyError, defined, errorChain } from '../base';
import { ProviderError, type ProviderErrorKind } from '../protocol';
import { redact, redactError } from './redact';

const shortestMs = 250;

const longestMs = 10 * 60_000;

const messageBytes = 1024;

/** How much of a provider's text is read: error pages can be long. */
const readCharacters = 8192;

/** The provider and model of the failed call. `secrets` are its credentials: they are removed from every message. */
export type CallTarget = {
  readonly provider: string;
  readonly model?: string;
  readonly secrets?: readonly string[];
};

/** An error object of a provider's API. */
export type ErrorBody = {
  readonly message?: string | undefined;
  readonly code?: string | null | undefined;
  readonly type?: string | null | undefined;
};

/** An HTTP answer with an error status. It does not contain the request's body or headers. */
export type StatusFailure = CallTarget &
  ErrorBody & {
    readonly status: number;
    readonly headers?: HeaderSource | undefined;
    /** The wait that the body asks for. */
    readonly retryAfterMs?: number | undefined;
  };

/** The one table from HTTP status, error code and text to a classified error. */
export function providerErrorFromStatus(failure: StatusFailure): ProviderError {
  const kind = kindOf(failure);
  const wait = retryAfterMs(failure.headers) ?? boundedDelay(failure.retryAfterMs);
  const shouldRetry = headerOf(failure.headers, 'x-should-retry');
  const retryable =
    shouldRetry === undefined || kind === 'quota' ? undefined : shouldRetry === 'true';
  return new ProviderError(kind, errorMessage(failure, failure.message, `HTTP ${failure.status}`), {
    status: failure.status,
    provider: failure.provider,
    ...defined({ retryAfterMs: wait, retryable }),
  });
}

/** An error object inside a successful HTTP response: Responses `failed`, an `error` event in a stream. */
export function providerErrorFromBody(target: CallTarget, body: ErrorBody): ProviderError {
  const kind = bodyKind(body);
  const text = body.message ?? body.code ?? body.type ?? 'the response failed';
  return new ProviderError(kind, errorMessage(target, text), { provider: target.provider });
}

/**
 * The connection was refused, reset, cut, or timed out. The text `fetch failed` is of no use, but its cause has `ECONNREFUSED
 * 127.0.0.1:11434`.
 */
export function providerErrorFromNetwork(target: CallTarget, cause: unknown): ProviderError {
  const text = chainTexts(errorChain(cause)).join(': ') || 'the connection failed';
  return new ProviderError('unavailable', errorMessage(target, text, 'no response'), {
    provider: target.provider,
    cause: withoutSecrets(target, cause),
  });
}

/** True for errors of `fetch` and the SDKs about the connection, not about the answer. */
export function isNetworkError(error: unknown): boolean {
  if (!(typeof error === 'object' && error !== null)) return false;
  const { name, message, code, cause } = error as Record<string, unknown>;
  if (/Connection(?:Timeout)?Error$/.test(error.constructor.name)) return true;
  if (name === 'AbortError' || name === 'TimeoutError') return true;
  if (typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code)) return true;
  if (message === 'fetch failed' || message === 'terminated') return true;
  return cause !== undefined && isNetworkError(cause);
}

/** A response that cannot be used, such as one without its final event. Another attempt may succeed. */
export function badResponse(target: CallTarget, problem: string, cause?: unknown): ProviderError {
  return new ProviderError('bad_response', errorMessage(target, problem), {
    provider: target.provider,
    ...(cause !== undefined && { cause: withoutSecrets(target, cause) }),
  });
}

function withoutSecrets({ secrets }: CallTarget, error: unknown): Error | undefined {
  return copyError(error, (read) => redactError(read, secrets));
}

function kindOf(failure: StatusFailure): ProviderErrorKind {
  const { status } = failure;
  if (status === 402 || isQuota(failure)) return 'quota';
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || [408, 409, 425].includes(status)) return 'unavailable';
  if (status < 400) return 'bad_response';
  return isContextLength(failure) ? 'context_length' : 'rejected';
}

const kindsByCode = new Map<string, ProviderErrorKind>(
  Object.entries({
    rate_limit_exceeded: 'rate_limited',
    rate_limit_error: 'rate_limited',
    RESOURCE_EXHAUSTED: 'rate_limited',
    server_error: 'unavailable',
    api_error: 'unavailable',
    overloaded_error: 'unavailable',
    timeout_error: 'unavailable',
    vector_store_timeout: 'unavailable',
    UNAVAILABLE: 'unavailable',
    INTERNAL: 'unavailable',
    authentication_error: 'auth',
    permission_error: 'auth',
    invalid_api_key: 'auth',
    billing_error: 'quota',
    invalid_request_error: 'rejected',
    invalid_prompt: 'rejected',
    bio_policy: 'rejected',
    cyber_policy: 'rejected',
    content_policy_violation: 'rejected',
    not_found_error: 'rejected',
    request_too_large: 'rejected',
  } as const),
);

function bodyKind(body: ErrorBody): ProviderErrorKind {
  if (isQuota(body)) return 'quota';
  if (isContextLength(body)) return 'context_length';
  return (
    kindsByCode.get(body.code ?? '') ?? kindsByCode.get(body.type ?? '') ?? fallbackKind(body.code)
  );
}

/** Codes such as `invalid_image_format` refuse media. A second attempt would not help. */
function fallbackKind(code: string | null | undefined): ProviderErrorKind {
  return code !== null &&
    code !== undefined &&
    /^(?:invalid_|unsupported_|empty_image|image_|failed_to_download)/.test(code)
    ? 'rejected'
    : 'unavailable';
}

/** Quota errors have status 429 or 400. Waiting does not help. */
function isQuota({ code, type, message }: ErrorBody): boolean {
  const quota =
    /^(?:insufficient_quota|billing_\w+|quota_exceeded|.*_spend_limit_reached|insufficient_(?:balance|credits?))$/;
  if ([code, type].some((name) => typeof name === 'string' && quota.test(name))) return true;
  return (
    message !== undefined &&
    /credit balance is too low|insufficient (?:balance|credits|funds)/i.test(message)
  );
}

const contextLengthTexts =
  /maximum context length|exceeds? the (?:model'?s? )?(?:available )?context (?:window|size|length)|prompt is too long|exceed context limit|input token count.*exceeds the maximum|context[ _]length[ _]exceeded|too large for model with .* maximum context/i;

function isContextLength({ code, type, message }: ErrorBody): boolean {
  const codes = [
    'context_length_exceeded',
    'exceed_context_size_error',
    'model_context_window_exceeded',
    'string_above_max_length',
  ];
  if ([code, type].some((name) => typeof name === 'string' && codes.includes(name))) return true;
  return message !== undefined && contextLengthTexts.test(message);
}

function errorMessage(target: CallTarget, text: string | undefined, status?: string): string {
  const head = [target.provider, target.model].filter((name) => name !== undefined).join('/');
  const detail = text === undefined || text.trim() === '' ? undefined : text.trim();
  const parts = [head, status, detail].filter((part) => part !== undefined);
  return clip(redact(parts.join(': ').slice(0, readCharacters), target.secrets));
}

function clip(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= messageBytes) return text;
  const kept = new TextDecoder().decode(bytes.subarray(0, messageBytes - 3), { stream: true });
  return `${kept}…`;
}

/** A fetch `Headers`, or a record of headers. */
export type HeaderSource =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | null | undefined>>;

export function headerOf(headers: HeaderSource | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  const get = headers.get;
  const value = typeof get === 'function' ? get.call(headers, name) : recordValue(headers, name);
  return value ?? undefined;
}

/** The wait that the provider asks for, in milliseconds, between 250 ms and 10 minutes. Undefined if it asks for none. */
export function retryAfterMs(
  headers: HeaderSource | undefined,
  now: number = Date.now(),
): number | undefined {
  return boundedDelay(
    milliseconds(headerOf(headers, 'retry-after-ms')) ??
      secondsOrDate(headerOf(headers, 'retry-after'), now) ??
      exhaustedReset(headers),
  );
}

function boundedDelay(delayMs: number | undefined): number | undefined {
  if (delayMs === undefined || Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(Math.ceil(delayMs), shortestMs), longestMs);
}

/** A duration as OpenAI and Google write it (`6m0s`, `1.5s`, `20ms`), in milliseconds. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined;
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    total += Number(amount) * units[unit as keyof typeof units];
  }
  return total;
}

function recordValue(headers: object, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

function milliseconds(value: string | undefined): number | undefined {
  const amount = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : undefined;
}

function secondsOrDate(value: string | undefined, now: number): number | undefined {
  const seconds = milliseconds(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

/** The longest reset of the exhausted limits, for a provider that sends only rate-limit headers. */
function exhaustedReset(headers: HeaderSource | undefined): number | undefined {
  const resets = ['requests', 'tokens'].flatMap((limit) => {
    const remaining = milliseconds(headerOf(headers, `x-ratelimit-remaining-${limit}`));
    const reset = durationMs(headerOf(headers, `x-ratelimit-reset-${limit}`));
    return reset === undefined || (remaining !== undefined && remaining > 0) ? [] : [reset];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}
