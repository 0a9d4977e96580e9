import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import {
  badResponse,
  isNetworkError,
  providerErrorFromBody,
  providerErrorFromNetwork,
  providerErrorFromStatus,
  type CallTarget,
  type ErrorBody,
} from '../errors';
import type { HeaderSource } from '../retry-after';

/** What the SDK throws, read by its fields: its classes come from another module instance in some realms. */
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

/** Gateways report the status of the model behind them as the code of an error in the stream. */
function streamedError(body: Record<string, unknown>, target: CallTarget): LonghaulError {
  const status = body['code'];
  return typeof status === 'number' && status >= 400 && status < 600
    ? providerErrorFromStatus({ ...target, ...errorBody(body), status })
    : providerErrorFromBody(target, errorBody(body));
}

/** The SDK puts a body that is not JSON behind the status. Proxies answer with whole pages: those say nothing. */
function plainText(message: unknown): string | undefined {
  const text = typeof message === 'string' ? message.replace(/^\d{3} /, '').trim() : '';
  return text === '' || text.startsWith('<') || text.startsWith('status code (') ? undefined : text;
}

/** Only the fields that hold an error's own words: servers echo the request in others. */
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
