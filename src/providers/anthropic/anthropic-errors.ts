import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import {
  badResponse,
  isNetworkError,
  missingKey,
  providerErrorFromBody,
  providerErrorFromNetwork,
  providerErrorFromStatus,
  type CallTarget,
} from '../errors';
import type { HeaderSource } from '../retry-after';

/** What the SDK throws, read by its fields: its classes come from another module instance in some realms. */
type SdkError = {
  readonly status?: unknown;
  readonly headers?: HeaderSource;
  readonly errorCode?: string | null;
  readonly type?: string | null;
  readonly apiMessage?: string | null;
  readonly message?: string;
};

export function fromAnthropicError(error: unknown, target: CallTarget): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const found = (isJsonObject(error) ? error : {}) as SdkError;
  const { status, headers, errorCode, type, message } = found;
  const body = { code: errorCode, type, message: found.apiMessage ?? message };
  if (typeof status === 'number') {
    return providerErrorFromStatus({ ...target, ...body, status, headers });
  }
  // An `error` event in a stream that began well.
  if (typeof type === 'string') return providerErrorFromBody(target, body);
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  if (/authentication method|credential|profile/i.test(message ?? '')) {
    return missingKey(target.provider, ['ANTHROPIC_API_KEY']);
  }
  return badResponse(target, message ?? 'the response cannot be read');
}
