// Failures on their way up: each says with the code it began with, and what the run that failed has spent.

import {
  ApplicationFailure,
  isCancellation,
  TemporalFailure,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { ChildFailure } from '../../core/orchestration/plan';
import { clipText, oneLine } from '../../base/text';
import { isJsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { errorCodes, type ErrorCode, LonghaulError } from '../../protocol/errors';
import type { RunSpend } from '../../protocol/run';

/** A child's failure, with what it has spent beside the details. A cancellation cannot carry that; the child tells it by a signal. */
export function reported(failure: unknown, spend: RunSpend): unknown {
  if (!(failure instanceof TemporalFailure) || isCancellation(failure)) return failure;
  const { type, message, details } = innermost(failure);
  return ApplicationFailure.create({
    ...(type !== undefined && { type }),
    message: clipText(message, limits.failureMessage),
    nonRetryable: true,
    details: [details ?? {}, spend],
    cause: failure,
  });
}

/** One that was cancelled by itself fails its caller, which was not: a cancellation says neither where nor that it was one. */
export function cancelledBelow(error: unknown, path: string): unknown {
  if (!isCancellation(error)) return error;
  return new LonghaulError('RunCancelled', `the run at '${path}' was cancelled`, {
    details: { path },
  });
}

/** What a failed child or model call has spent, as far as it could say. */
export function failureSpend(error: unknown): RunSpend | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const details = cause instanceof ApplicationFailure ? cause.details : undefined;
  return (details?.[1] ?? undefined) as RunSpend | undefined;
}

/** The code a failure began with. */
export function failureCode(error: unknown): ErrorCode | undefined {
  if (LonghaulError.is(error)) return error.code;
  if (isCancellation(error)) return 'RunCancelled';
  const { type } = innermost(error);
  return errorCodes.find((code) => code === type);
}

/** A child's failure as a plan sees it. */
export function childFailure(error: unknown): ChildFailure {
  const code = failureCode(error);
  const details = LonghaulError.is(error) ? error.details : innermost(error).details;
  return {
    ...(code && { code }),
    message: failureReason(error),
    ...(isJsonObject(details) && { details }),
  };
}

export function failureReason(error: unknown): string {
  return oneLine(innermost(error).message, limits.failureMessage);
}

/** What became of a run that did not complete, to be read later: one ended from outside carries no word of its own. */
export function failureView(error: unknown): {
  readonly code?: ErrorCode;
  readonly message: string;
} {
  if (error instanceof Error && error.cause instanceof TerminatedFailure)
    return { code: 'RunClosed', message: 'the run was terminated' };
  if (isCancellation(error)) return { code: 'RunCancelled', message: 'the run was cancelled' };
  const code = failureCode(error);
  return { ...(code && { code }), message: failureReason(error) };
}

type Innermost = {
  readonly type?: string;
  readonly message: string;
  readonly details?: unknown;
};

/** The last failure of the chain that has a type; else the last one. */
function innermost(error: unknown): Innermost {
  let found: Innermost = { message: error instanceof Error ? error.message : String(error) };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.type) {
      found = { type: cause.type, message: cause.message, details: cause.details?.[0] };
    } else if (found.type === undefined) {
      found = { message: cause.message };
    }
  }
  return found;
}
