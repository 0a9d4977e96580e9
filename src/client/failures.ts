// What the SDK's errors mean to a user: the innermost typed failure, with the code it was thrown with.

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
import { errorOfCode, InternalError, RunClosed } from '../protocol/error-classes';
import {
  errorCodes,
  LonghaulError,
  ProviderError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
  type ProviderErrorKind,
} from '../protocol/errors';
import { namespaceMissing, serverUnavailable } from '../server/connection-options';

/** gRPC status codes by name, as far as they are told apart. */
export const grpcStatus = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export function hasGrpcStatus(error: unknown, ...codes: readonly number[]): boolean {
  if (isGrpcServiceError(error)) return codes.includes(error.code);
  return (
    error instanceof Error && error.cause !== undefined && hasGrpcStatus(error.cause, ...codes)
  );
}

export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/** Why no call reaches the server, or the namespace of this connection; `undefined` for what a call was refused for. */
export function unreachable(error: unknown): LonghaulError | undefined {
  if (error instanceof NamespaceNotFoundError) return namespaceMissing(error.namespace, error);
  return hasGrpcStatus(error, grpcStatus.unavailable, grpcStatus.deadlineExceeded)
    ? serverUnavailable('the server of this connection', error)
    : undefined;
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

/** `isNested`: the failure of something the run called, not of the run itself. */
function toTyped(cause: Error, isNested: boolean): LonghaulError | undefined {
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    return fromFailure(cause.type, cause.message, (cause.details?.[0] ?? {}) as ErrorDetails);
  }
  if (cause instanceof CancelledFailure) return cancelled(cause.message);
  if (cause instanceof TerminatedFailure)
    return new RunClosed(`the run was terminated: ${cause.message}`);
  if (cause instanceof TimeoutFailure) {
    return isNested
      ? new ProviderError(
          'unavailable',
          `a call of the run did not finish in time: ${cause.message}`,
        )
      : new RunClosed(`the run timed out: ${cause.message}`);
  }
  return undefined;
}

function fromFailure(code: ErrorCode, message: string, details: ErrorDetails): LonghaulError {
  if (code !== 'ProviderError') return asMachineError(errorOfCode(code, message, { details }));
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

/** Why a run failed, as itself; `undefined` for errors that are not about the run. */
export function runFailure(error: unknown): LonghaulError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  return (
    typedError(error) ?? new InternalError(error.cause?.message ?? error.message, { cause: error })
  );
}

/** Why an update was refused, as itself. */
export function updateRefusal(error: unknown): LonghaulError | undefined {
  return error instanceof WorkflowUpdateFailedError ? typedError(error) : undefined;
}

/** An update that was refused by none of ours: the workflow does not know it, or its task fails. */
export function isUntaken(error: unknown): error is Error {
  if (error instanceof WorkflowUpdateFailedError) return typedError(error) === undefined;
  return error instanceof Error && hasGrpcStatus(error, grpcStatus.failedPrecondition);
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
