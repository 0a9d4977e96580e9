// Errors on their way out of an activity: one place decides what is retried, when, and what of an error enters history.

import { ApplicationFailure, Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import { clipText } from '../base/text';
import { LonghaulError, ProviderError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { limits, timeouts } from '../protocol/limits';
import type { RunSpend } from '../protocol/run';
import { redact } from '../providers/redact';

const badResponseAttempts = 3;
const notRegisteredRetryMs = 2_000;
const shortestRetryMs = 100;

/**
 * The failure an activity throws for an error. Temporal's own failures, cancellation among them, pass. What the call has cost so far
 * stands beside the details, as in the failure of a child.
 */
export function toFailure(error: unknown, spend?: RunSpend): unknown {
  if (error instanceof TemporalFailure) return readable(error);
  if (ProviderError.is(error)) return providerFailure(error);
  if (!LonghaulError.is(error))
    return failure('InternalError', describe(error), { nonRetryable: false, spend });
  if (error.code === 'NotRegisteredHere') return notRegisteredFailure(error);
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable,
    details: error.details,
    spend,
  });
}

function providerFailure(error: ProviderError): ApplicationFailure {
  const { attempt } = Context.current().info;
  const isSpent = error.kind === 'bad_response' && attempt >= badResponseAttempts;
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable || isSpent,
    details: error.details,
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: error.retryAfterMs }),
  });
}

/** Another worker of a rolling deploy may have it: tried again until the search budget is spent. */
function notRegisteredFailure(error: LonghaulError): ApplicationFailure {
  const { attempt } = Context.current().info;
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable || isSearchSpent(),
    nextRetryDelay: Math.min(notRegisteredRetryMs, shortestRetryMs * 2 ** (attempt - 1)),
    details: error.details,
  });
}

/** Whether this call has been looking for a worker that has its code for as long as it may. */
export function isSearchSpent(): boolean {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs >= timeouts.definitionSearch;
}

function failure(
  type: string,
  message: string,
  options: {
    nonRetryable: boolean;
    nextRetryDelay?: number;
    details?: unknown;
    spend?: RunSpend | undefined;
  },
): ApplicationFailure {
  const { details, spend, ...rest } = options;
  const text = JSON.stringify(details ?? {});
  const told: unknown[] = text.length <= limits.failureMessage ? [JSON.parse(text)] : [];
  return ApplicationFailure.create({
    type,
    message: clipText(redact(message), limits.failureMessage),
    details: spend === undefined ? told : [told[0] ?? {}, spend],
    ...rest,
  });
}

/** Code of users may throw a failure whose text ends in half a character, which the worker could not send. */
function readable(error: TemporalFailure): TemporalFailure {
  const { message, stack = '' } = error;
  if (!(error instanceof ApplicationFailure) || (message.isWellFormed() && stack.isWellFormed()))
    return error;
  const { type, nonRetryable, details } = error;
  const nextRetryDelay = error.nextRetryDelay as number | null | undefined;
  return ApplicationFailure.create({
    message: message.toWellFormed(),
    ...(type && { type: type.toWellFormed() }),
    nonRetryable: nonRetryable === true,
    details: details ?? [],
    ...(nextRetryDelay !== undefined && nextRetryDelay !== null && { nextRetryDelay }),
  });
}

/** What may be said of any thrown value: never the value itself, which may be circular, huge or not an error. */
export function describe(error: unknown): string {
  try {
    if (error instanceof Error)
      return redact(error.name === 'Error' ? error.message : `${error.name}: ${error.message}`);
    if (isJsonObject(error) && typeof error['message'] === 'string')
      return redact(error['message']);
    return redact(typeof error === 'string' ? error : `threw ${String(error)}`);
  } catch {
    return 'threw a value that cannot be shown';
  }
}
