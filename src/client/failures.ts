// What the SDK's errors mean to a user: the innermost typed failure, with the code it was thrown with.

import { grpcStatus } from '../base/grpc-status';
import {
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import {
  ApplicationFailure,
  CancelledFailure,
  NamespaceNotFoundError,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { asMachineError } from '../core/errors';
import { encodedFailureMessage, unreadableKey } from '../protocol/encryption';
import {
  type ErrorCode,
  errorCodes,
  type ErrorDetails,
  type ErrorOptions,
  LonghaulError,
  ProviderError,
  type ProviderErrorKind,
} from '../protocol/errors';
import { namespaceMissing, serverUnavailable } from '../server/connection-options';
import { isJsonObject } from '../base/json';

/** How the server says that it cannot answer now. */
const passing: readonly number[] = [
  grpcStatus.cancelled,
  grpcStatus.deadlineExceeded,
  grpcStatus.resourceExhausted,
  grpcStatus.aborted,
  grpcStatus.unavailable,
];

/** How a call ends that this client itself gave up: aborted, or on a connection that was closed. */
const givenUp = /^(cancelled on client|the connection was closed)/i;

/** How one ends that was out of its caller's time. */
const outOfTime = /^deadline exceeded after/i;

const tooLarge = /larger than max/i;

/** How the server refuses an update beyond those that one execution takes: `history.maxTotalUpdates`. */
const noMoreUpdates = /limit on the total number of .*updates/i;

export function hasGrpcStatus(error: unknown, ...codes: readonly number[]): boolean {
  if (isGrpcServiceError(error)) return codes.includes(error.code);
  return (
    error instanceof Error && error.cause !== undefined && hasGrpcStatus(error.cause, ...codes)
  );
}

export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/**
 * Whether the same call may be answered a little later: the server is away, or has no room for it. Our own error of a server that
 * did not answer in the time we gave it counts, a raw one that was out of its caller's time does not.
 */
export function isPassing(error: unknown): boolean {
  const cause = serviceError(error);
  if (isUpdateLimit(error)) return !LonghaulError.is(error);
  if (cause === undefined || !passing.includes(cause.code)) return false;
  if (givenUp.test(cause.details) || tooLarge.test(cause.details)) return false;
  if (LonghaulError.is(error)) return error.code === 'ServerUnavailable';
  return !outOfTime.test(cause.details);
}

/** The server is there, and takes no more calls of this kind now. */
export function isRefused(error: unknown): boolean {
  return serviceError(error)?.code === grpcStatus.resourceExhausted || isUpdateLimit(error);
}

/** The execution has taken as many updates as the server lets one take: none of another id is taken before the next execution. */
export function isUpdateLimit(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (noMoreUpdates.test(cause.message)) return true;
  return false;
}

/** Why no call reaches the server, or the namespace of this connection; `undefined` for what a call was refused for. */
export function unreachable(error: unknown): LonghaulError | undefined {
  if (error instanceof NamespaceNotFoundError) return namespaceMissing(error.namespace, error);
  const cause = serviceError(error);
  switch (cause?.code) {
    case grpcStatus.unavailable:
    case grpcStatus.deadlineExceeded:
      return serverUnavailable('the server of this connection', error);
    case grpcStatus.resourceExhausted:
      return notServed('has no room for this call now: try again later', error, true);
    case grpcStatus.cancelled:
      return notServed('was not asked to the end: the call was aborted', error, true);
    case grpcStatus.permissionDenied:
    case grpcStatus.unauthenticated:
      return notServed('refuses this client: check its API key, certificate and rights', error);
    default:
      return undefined;
  }
}

/** Whatever a call came to, as an error with a code. */
export function asLonghaulError(error: unknown): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const known = updateRefusal(error) ?? runFull(error) ?? refusedInput(error) ?? unreachable(error);
  if (known !== undefined) return known;
  const reason = error instanceof Error ? error.message : String(error);
  return new LonghaulError('InternalError', `the call came to nothing: ${reason}`, {
    cause: error,
  });
}

function runFull(error: unknown): LonghaulError | undefined {
  if (!isUpdateLimit(error)) return undefined;
  return new LonghaulError(
    'RunFull',
    'the run has taken as many answers as the server allows one execution. Try again when its child runs have ended, or answer at the run that asked, which tree() lists',
    { cause: error, retryable: true },
  );
}

/** An id too long, or a filter that the server cannot read. */
function refusedInput(error: unknown): LonghaulError | undefined {
  const cause = serviceError(error);
  if (cause?.code !== grpcStatus.invalidArgument) return undefined;
  return new LonghaulError('InvalidInput', `Temporal refused the request: ${cause.details}`, {
    cause: error,
  });
}

function notServed(what: string, cause: unknown, retryable = false): LonghaulError {
  const details = serviceError(cause)?.details ?? '';
  return new LonghaulError('ServerUnavailable', `Temporal ${what} (${details})`, {
    cause,
    retryable,
  });
}

function serviceError(
  error: unknown,
): { readonly code: number; readonly details: string } | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (isGrpcServiceError(cause)) return cause;
  return undefined;
}

/** The typed error inside a failed run or a refused update; undefined when there is none. */
function typedError(error: unknown): LonghaulError | undefined {
  if (LonghaulError.is(error)) return error;
  let found: LonghaulError | undefined;
  const topCause = error instanceof Error ? error.cause : undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    found = toTyped(cause, found !== undefined || cause !== topCause) ?? found;
  return found;
}

/** Of a failure that this client cannot decrypt only the type is known. */
function messageOf({ message }: Error): string {
  return message === encodedFailureMessage
    ? "the message is encrypted, and this client does not encrypt: give connect the worker's `encryption`"
    : message;
}

/** `isNested`: the failure of something the run called, not of the run itself. */
function toTyped(cause: Error, isNested: boolean): LonghaulError | undefined {
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const [details = {}] = (cause.details ?? []) as ErrorDetails[];
    return fromFailure(cause.type, messageOf(cause), details);
  }
  if (cause instanceof CancelledFailure) return cancelled(cause.message);
  if (cause instanceof TerminatedFailure)
    return new LonghaulError('RunClosed', `the run was terminated: ${cause.message}`);
  if (cause instanceof TimeoutFailure) {
    return isNested
      ? new ProviderError(
          'unavailable',
          `a call of the run did not finish in time: ${cause.message}`,
        )
      : new LonghaulError('RunClosed', `the run timed out: ${cause.message}`);
  }
  return undefined;
}

function fromFailure(code: ErrorCode, message: string, details: ErrorDetails): LonghaulError {
  if (code !== 'ProviderError')
    return asMachineError(new LonghaulError(code, message, { details }));
  const { kind, status, provider } = details as {
    kind?: ProviderErrorKind;
    status?: number;
    provider?: string;
  };
  return new ProviderError(kind ?? 'unavailable', message, {
    details,
    ...(status !== undefined && { status }),
    ...(provider !== undefined && { provider }),
  });
}

/** `reason` is what was said, or what the server says of a run that was cancelled without one. */
export function cancelled(reason: string, options: ErrorOptions = {}): LonghaulError {
  const error = asMachineError(new LonghaulError('RunCancelled', reason, options));
  return Object.assign(error, { reason });
}

/** An execution that was ended from outside: by a person, or by the reset that took its run back. */
export function isTermination(error: unknown): boolean {
  return error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
}

/** Why a run failed, as itself; `undefined` for errors that are not about the run. */
export function runFailure(error: unknown): LonghaulError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  return (
    typedError(error) ??
    new LonghaulError('InternalError', error.cause?.message ?? error.message, { cause: error })
  );
}

/** Why an update was refused, as itself. */
export function updateRefusal(error: unknown): LonghaulError | undefined {
  return error instanceof WorkflowUpdateFailedError ? typedError(error) : undefined;
}

/** An update that was refused by none of ours: the workflow does not know it, or its task fails. */
export function isUntaken(error: unknown): error is Error {
  if (error instanceof WorkflowUpdateFailedError) return typedError(error) === undefined;
  if (isUpdateLimit(error)) return false;
  return error instanceof Error && hasGrpcStatus(error, grpcStatus.failedPrecondition);
}

/** An update that a worker's task was given and did not say a word about: the server gives up such a one, and keeps nothing of it. */
export function isUnprocessed(error: unknown): boolean {
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === 'UnprocessedUpdate';
}

/** An update whose run closed or continued as new before it was answered. */
export function isCutOff(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow')
      return true;
  }
  return false;
}

function isErrorCode(type: string | undefined | null): type is ErrorCode {
  return type !== undefined && type !== null && (errorCodes as readonly string[]).includes(type);
}

/** What a worker sent, unless it is encrypted and this client has no codec: throws `EncryptionMismatch`. */
export function readable<Value>(value: Value): Value {
  if (!isJsonObject(value) || !Object.hasOwn(value, unreadableKey)) return value;
  throw new LonghaulError(
    'EncryptionMismatch',
    `what the worker sends is encrypted (${JSON.stringify(value[unreadableKey])}), and this client does not encrypt: give connect the worker's \`encryption\``,
  );
}
