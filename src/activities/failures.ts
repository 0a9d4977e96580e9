// Errors that leave an activity. This file decides whether and when Temporal retries, and how much of an error enters history.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import { clipText } from '../base/text';
import { type ErrorDetails, LonghaulError, ProviderError } from '../protocol/errors';
import { defined, isJsonObject } from '../base/json';
import { limits, timeouts } from '../protocol/limits';
import type { RunSpend } from '../protocol/run';
import { redact } from '../providers/redact';

const badResponseAttempts = 3;

const firstPauseMs = 250;

const longestPauseMs = 4_000;
const notRegisteredRetryMs = 2_000;
const shortestRetryMs = 100;

/**
 * The failure that an activity throws for an error. Temporal's own failures, such as cancellation, pass. `spend` is the cost of the call so
 * far. It comes after the details, as in the failure of a child.
 */
export function toFailure(error: unknown, spend?: RunSpend): unknown {
  if (error instanceof TemporalFailure) return readableFailure(error);
  if (ProviderError.is(error)) return providerApplicationFailure(error);
  if (!LonghaulError.is(error))
    return failure('InternalError', describeError(error), { nonRetryable: false, spend });
  if (error.code === 'NotRegisteredHere') return notRegisteredFailure(error);
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable,
    details: error.details,
    spend,
  });
}

function providerApplicationFailure(error: ProviderError): ApplicationFailure {
  const { attempt } = Context.current().info;
  const isSpent = error.kind === 'bad_response' && attempt >= badResponseAttempts;
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable || isSpent,
    details: error.details,
    ...defined({ nextRetryDelay: error.retryAfterMs }),
  });
}

/** In a rolling deploy another worker may have the code. Temporal retries until the search time is over. */
function notRegisteredFailure(error: LonghaulError): ApplicationFailure {
  const { attempt } = Context.current().info;
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable || isSearchSpent(),
    nextRetryDelay: Math.min(notRegisteredRetryMs, shortestRetryMs * 2 ** (attempt - 1)),
    details: error.details,
  });
}

/** For code, a store or a provider that this worker does not have. Another worker may have it. */
export function notHere(
  what: string,
  options: { readonly known?: Iterable<string>; readonly details?: ErrorDetails } = {},
): LonghaulError {
  const { known, details = {} } = options;
  const names = known && ([...known].sort().join(', ') || 'none');
  const message = `this worker has no ${what}${names === undefined ? '' : `; it has: ${names}`}`;
  return new LonghaulError('NotRegisteredHere', message, { retryable: true, details });
}

/** Whether the time to look for a worker with the code is over. */
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
  const sent: unknown[] = text.length <= limits.failureMessage ? [JSON.parse(text)] : [];
  return ApplicationFailure.create({
    type,
    message: clipText(redact(message), limits.failureMessage),
    details: spend === undefined ? sent : [sent[0] ?? {}, spend],
    ...rest,
  });
}

/** The user's code may throw a failure whose text ends in half a character. The worker could not send it. */
function readableFailure(error: TemporalFailure): TemporalFailure {
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

/** A short text for any thrown value, which may be circular, huge or not an error. */
export function describeError(error: unknown): string {
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

type Again = {
  readonly signal: AbortSignal;
  /** No attempt begins after this time. */
  readonly deadline: number;
  readonly mayPass: (error: unknown) => boolean;
  readonly now?: () => number;
};

/**
 * Repeats work within an attempt of the activity, because a call with effect `once` has only one. Throws the last error if that one does
 * not pass, when the time is up, or when the activity is cancelled.
 */
export async function triedAgain<Result>(
  work: () => Promise<Result>,
  { signal, deadline, mayPass, now = Date.now }: Again,
): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || signal.aborted || now() + pauseMs > deadline) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
