// Turns errors of Temporal's SDK into errors with a code. Takes the innermost typed failure, if there is one.

import { defined, grpcStatus, isJsonObject } from '../../base';
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
import { asMachineError } from '../../core/errors';
import {
  encodedFailureMessage,
  type ErrorCode,
  errorCodes,
  type ErrorDetails,
  type ErrorOptions,
  hasCode,
  LonghaulError,
  ProviderError,
  type ProviderErrorKind,
  unreadableKey,
} from '../../protocol';
import { namespaceMissing, serverUnavailable } from '../../server';

/** Codes of a server that cannot answer now. */
const passing: readonly number[] = [
  grpcStatus.cancelled,
  grpcStatus.deadlineExceeded,
  grpcStatus.resourceExhausted,
  grpcStatus.aborted,
  grpcStatus.unavailable,
];

/** The error text if this client itself ended the call: aborted, or the connection was closed. */
const givenUp = /^(cancelled on client|the connection was closed)/i;

/** The error text if the caller's deadline passed. */
const outOfTime = /^deadline exceeded after/i;

const tooLarge = /larger than max/i;

/** The error text if the execution has reached the server's limit `history.maxTotalUpdates`. */
const noMoreUpdates = /limit on the total number of .*updates/i;

/** The error text if the execution has failed its last tasks, or let them time out. The server then lets no update in. */
const notReady = /unable to perform workflow execution update due to/i;

export function hasGrpcStatus(error: unknown, ...codes: readonly number[]): boolean {
  if (isGrpcServiceError(error)) return codes.includes(error.code);
  return (
    error instanceof Error && error.cause !== undefined && hasGrpcStatus(error.cause, ...codes)
  );
}

export function runNotFound(workflowId: string, cause: unknown): LonghaulError {
  return new LonghaulError('RunNotFound', `there is no run '${workflowId}'`, { cause });
}

export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/**
 * Whether the same call may succeed a little later, because the server is away or busy. A `ServerUnavailable` after our own deadline
 * counts. A raw error after the caller's deadline does not.
 */
export function isPassing(error: unknown): boolean {
  const cause = serviceError(error);
  if (isUpdateLimit(error)) return !LonghaulError.is(error);
  // Only the history shows whether the execution recovers.
  if (isNotReady(error)) return hasCode(error, 'ServerUnavailable');
  if (cause === undefined || !passing.includes(cause.code)) return false;
  if (givenUp.test(cause.details) || tooLarge.test(cause.details)) return false;
  if (LonghaulError.is(error)) return error.code === 'ServerUnavailable';
  return !outOfTime.test(cause.details);
}

/** The server answers, but accepts no more calls of this kind now. */
export function isRefused(error: unknown): boolean {
  return serviceError(error)?.code === grpcStatus.resourceExhausted || isUpdateLimit(error);
}

/** The execution has reached the server's limit of updates. Only the next execution accepts new ones. */
export function isUpdateLimit(error: unknown): boolean {
  return says(error, noMoreUpdates);
}

/** The execution did not get the update, because its last tasks failed. It takes updates again after a task that works. */
export function isNotReady(error: unknown): error is Error {
  return says(error, notReady);
}

/** It reads messages, because with an update that starts its workflow the SDK leaves the other texts empty. */
function says(error: unknown, text: RegExp): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (text.test(cause.message)) return true;
  return false;
}

/** Explains why no call reaches the server or the namespace. Undefined for other errors. */
export function unreachable(error: unknown): LonghaulError | undefined {
  if (error instanceof NamespaceNotFoundError) return namespaceMissing(error.namespace, error);
  const cause = serviceError(error);
  switch (cause?.code) {
    case grpcStatus.unavailable:
    case grpcStatus.deadlineExceeded:
      return serverUnavailable('the server of this connection', error);
    case grpcStatus.resourceExhausted:
    case grpcStatus.aborted:
      return notServed('is too busy for this call. Try again later', error, true);
    case grpcStatus.cancelled:
      return notServed('did not get the whole call, because it was aborted', error, true);
    case grpcStatus.permissionDenied:
    case grpcStatus.unauthenticated:
      return notServed(
        'refuses this client. Check its API key, certificate and permissions',
        error,
      );
    default:
      return undefined;
  }
}

/** Any error of a call as an error with a code. */
export function asLonghaulError(error: unknown): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const known = updateRefusal(error) ?? runFull(error) ?? refusedInput(error) ?? unreachable(error);
  if (known !== undefined) return known;
  if (isNotReady(error)) return notReadyYet(error);
  if (lacksStorage(error)) return storageMissing(error);
  const reason = error instanceof Error ? error.message : String(error);
  return new LonghaulError('InternalError', `the call failed: ${reason}`, {
    cause: error,
  });
}

/** It checks the name, because the SDK's oldest tested minor does not have the class. */
function lacksStorage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause.name === 'ExternalStorageNotConfiguredError') return true;
  return false;
}

export function storageMissing(cause?: unknown): LonghaulError {
  return new LonghaulError(
    'SpecError',
    'the data is in an external storage that this client does not have: give connect the dataConverter.externalStorage of the worker',
    { cause },
  );
}

function runFull(error: unknown): LonghaulError | undefined {
  if (!isUpdateLimit(error)) return undefined;
  return new LonghaulError(
    'RunFull',
    'the run has taken as many answers as the server allows one execution. Try again when its child runs have ended, or answer at the run that asked, which tree() lists',
    { cause: error, retryable: true },
  );
}

function notReadyYet(cause: unknown): LonghaulError {
  return new LonghaulError(
    'ServerUnavailable',
    'Temporal lets no answer or message in to the workflow now, because its last tasks failed or timed out. Try again later',
    { cause, retryable: true },
  );
}

/** The error for input that the server refuses, such as an id that is too long, or a filter that it cannot read. */
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

/** The typed error inside a failed run or a refused update, if there is one. */
function typedError(error: unknown): LonghaulError | undefined {
  if (LonghaulError.is(error)) return error;
  let found: LonghaulError | undefined;
  const topCause = error instanceof Error ? error.cause : undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    found = toTyped(cause, found !== undefined || cause !== topCause) ?? found;
  return found;
}

/** If this client cannot decrypt the failure, it knows only the type. */
function messageOf({ message }: Error): string {
  return message === encodedFailureMessage
    ? "the message is encrypted, but this client has no key: give connect the worker's `encryption`"
    : message;
}

/** `isNested`: a call of the run failed, not the run itself. */
function toTyped(cause: Error, isNested: boolean): LonghaulError | undefined {
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const [details = {}] = (cause.details ?? []) as ErrorDetails[];
    return fromFailure(cause.type, messageOf(cause), { details, cause: cause.cause });
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

/** The cause is what the worker's code threw. */
function fromFailure(
  code: ErrorCode,
  message: string,
  { details, cause }: Pick<Required<ErrorOptions>, 'details' | 'cause'>,
): LonghaulError {
  if (code !== 'ProviderError')
    return asMachineError(new LonghaulError(code, message, { details, cause }));
  const { kind, status, provider } = details as {
    kind?: ProviderErrorKind;
    status?: number;
    provider?: string;
  };
  return new ProviderError(kind ?? 'unavailable', message, {
    details,
    cause,
    ...defined({ status, provider }),
  });
}

/** `reason` is the caller's reason, else the server's text. */
export function cancelled(reason: string, options: ErrorOptions = {}): LonghaulError {
  const error = asMachineError(new LonghaulError('RunCancelled', reason, options));
  return Object.assign(error, { reason });
}

/** The execution was terminated, by a person or by a reset of its run. */
export function isTermination(error: unknown): boolean {
  return error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
}

/** The run's own error. Undefined for errors that are not about the run. */
export function runFailure(error: unknown): LonghaulError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  return (
    typedError(error) ??
    new LonghaulError('InternalError', error.cause?.message ?? error.message, { cause: error })
  );
}

/** The run's own error for a refused update. */
export function updateRefusal(error: unknown): LonghaulError | undefined {
  return error instanceof WorkflowUpdateFailedError ? typedError(error) : undefined;
}

/** The update was refused, but not by our code: the workflow does not know it, or its task fails. */
export function isUntaken(error: unknown): error is Error {
  if (error instanceof WorkflowUpdateFailedError) return typedError(error) === undefined;
  if (isUpdateLimit(error)) return false;
  return error instanceof Error && hasGrpcStatus(error, grpcStatus.failedPrecondition);
}

/** A worker's task got the update but did not handle it. The server then drops the update. */
export function isUnprocessed(error: unknown): boolean {
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === 'UnprocessedUpdate';
}

/** The run closed or continued as new before it answered the update. */
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

/** Throws `EncryptionMismatch` if the value is encrypted and this client has no codec. */
export function readable<Value>(value: Value): Value {
  if (!isJsonObject(value) || !Object.hasOwn(value, unreadableKey)) return value;
  throw new LonghaulError(
    'EncryptionMismatch',
    `the worker's data is encrypted (${JSON.stringify(value[unreadableKey])}), but this client has no key: give connect the worker's \`encryption\``,
  );
}
