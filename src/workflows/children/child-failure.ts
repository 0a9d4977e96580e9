// Carries failures of runs to their callers. A failure keeps its code on the way, and has the spending of the failed run.

import {
  ApplicationFailure,
  isCancellation,
  TemporalFailure,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { ChildFailure } from '../../core/orchestration/plan';
import { clipText, defined, isJsonObject, oneLine } from '../../base';
import { type ErrorCode, errorCodes, limits, LonghaulError, type RunSpend } from '../../protocol';

/**
 * A child's failure, with the child's spend beside its details. A cancellation cannot carry the spend, so the child sends a signal.
 * `steered`: for a thread, the ids of messages that the model got while it worked.
 */
export function reported(
  failure: unknown,
  spend: RunSpend,
  steered: readonly string[] = [],
): unknown {
  if (!(failure instanceof TemporalFailure) || isCancellation(failure)) return failure;
  const { type, message, details } = innermost(failure);
  return ApplicationFailure.create({
    ...defined({ type }),
    message: clipText(message, limits.failureMessage),
    nonRetryable: true,
    details: [details ?? {}, spend, ...(steered.length > 0 ? [steered] : [])],
    cause: failure,
  });
}

/**
 * If a child was cancelled but its caller was not, the caller fails. This error names the place and the cancellation; the bare cancellation
 * names neither.
 */
export function cancelledBelow(error: unknown, path: string): unknown {
  if (!isCancellation(error)) return error;
  return new LonghaulError('RunCancelled', `the run at '${path}' was cancelled`, {
    details: { path },
  });
}

/** The spending of a failed child or model call, if its failure has it. */
export function failureSpend(error: unknown): RunSpend | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const details = cause instanceof ApplicationFailure ? cause.details : undefined;
  return (details?.[1] ?? undefined) as RunSpend | undefined;
}

/** The ids of the messages that the model of a thread's failed turn got. */
export function failureSteered(error: unknown): readonly string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  const steered: unknown = cause instanceof ApplicationFailure ? cause.details?.[2] : undefined;
  return Array.isArray(steered) ? steered.filter((id) => typeof id === 'string') : [];
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
    message: failureReason(error),
    ...defined({ code, details: isJsonObject(details) ? details : undefined }),
  };
}

export function failureReason(error: unknown): string {
  return oneLine(innermost(error).message, limits.failureMessage);
}

/** Why a run did not complete, for later readers. A run that was ended from outside left no message. */
export function failureView(error: unknown): {
  readonly code?: ErrorCode;
  readonly message: string;
} {
  if (error instanceof Error && error.cause instanceof TerminatedFailure)
    return { code: 'RunClosed', message: 'the run was terminated' };
  if (isCancellation(error)) return { code: 'RunCancelled', message: 'the run was cancelled' };
  return { ...defined({ code: failureCode(error) }), message: failureReason(error) };
}

type Innermost = {
  readonly type?: string;
  readonly message: string;
  readonly details?: unknown;
};

/** The last failure of the chain that has a type, or else the last one. */
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
