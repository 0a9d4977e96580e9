import { LonghaulError, ProviderError } from '../../protocol/errors';
import { isJsonObject, type Json, type JsonObject } from '../../base/json';
import {
  badResponse,
  isNetworkError,
  providerErrorFromNetwork,
  providerErrorFromStatus,
  type CallTarget,
} from '../errors';
import { durationMs, type HeaderSource } from '../retry-after';

/** The SDK's one error class has a status and, as its message, the JSON of the body; headers come from our own fetch. */
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
  // Its message would quote the chunk.
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
  // A wrong key is a 400 here.
  if (!details.some((detail) => detail['reason'] === 'API_KEY_INVALID')) return error;
  return new ProviderError('auth', error.message, {
    provider: failure.provider,
    status: failure.status,
  });
}

/** Proxies wrap the body in a list, and an error in a stream has a few words before it. */
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

/** What is used up for the day does not come back within a run's retries. */
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

function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
