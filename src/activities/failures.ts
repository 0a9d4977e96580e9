// Errors that leave an activity. This file decides whether and when Temporal retries, and how much of an error enters history.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import { chainTexts, clipText, copyError, defined, errorChain, retry, utf8Length } from '../base';
import {
  type ErrorDetails,
  limits,
  LonghaulError,
  ProviderError,
  type RunSpend,
  timeouts,
} from '../protocol';
import { redact } from '../providers';

const badResponseAttempts = 3;

const firstPauseMs = 250;

const longestPauseMs = 4_000;
const notRegisteredRetryMs = 1_000;
const shortestRetryMs = 100;

/** A model call that failed after the model was paid. */
export class PaidFailure extends Error {
  readonly spend: RunSpend;

  constructor(cause: unknown, spend: RunSpend) {
    super('the call failed after the model was paid', { cause });
    this.spend = spend;
  }
}

/** The thrown error, and the spending before it. */
export function unpaid(thrown: unknown): { readonly error: unknown; readonly spend?: RunSpend } {
  return thrown instanceof PaidFailure
    ? { error: thrown.cause, spend: thrown.spend }
    : { error: thrown };
}

/**
 * The failure that an activity throws for an error. Temporal's own failures, such as cancellation, pass. `spend` is the cost of the call so
 * far. It comes after the details, as in the failure of a child.
 */
export function toFailure(error: unknown, spend?: RunSpend): unknown {
  if (error instanceof TemporalFailure) return readableFailure(error);
  if (ProviderError.is(error)) return providerApplicationFailure(error);
  if (!LonghaulError.is(error))
    return failure('InternalError', describeError(error), {
      nonRetryable: false,
      spend,
      cause: error,
    });
  if (error.code === 'NotRegisteredHere' || error.code === 'AgentNotFound')
    return notRegisteredFailure(error);
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable,
    details: error.details,
    spend,
    cause: error.cause,
  });
}

function providerApplicationFailure(error: ProviderError): ApplicationFailure {
  const { attempt } = Context.current().info;
  const isSpent = error.kind === 'bad_response' && attempt >= badResponseAttempts;
  return failure(error.code, error.message, {
    nonRetryable: !error.retryable || isSpent,
    details: error.details,
    cause: error.cause,
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
    cause?: unknown;
  },
): ApplicationFailure {
  const { details, spend, cause, ...rest } = options;
  const text = JSON.stringify(details ?? {});
  const sent: unknown[] = text.length <= limits.failureMessage ? [JSON.parse(text)] : [];
  return withoutStack(
    ApplicationFailure.create({
      type,
      message: clipText(redact(message), limits.failureMessage),
      details: spend === undefined ? sent : [sent[0] ?? {}, spend],
      ...defined({ cause: keptCause(cause) }),
      ...rest,
    }),
  );
}

/** Stacks do not enter history: they are long, and name the files of the worker. The worker's log has them. */
function withoutStack(made: ApplicationFailure): ApplicationFailure {
  made.stack = '';
  return made;
}

/**
 * The causes of a failure as history keeps them. They are plain errors, because the workflow takes the last failure with a type as the
 * first cause.
 */
function keptCause(cause: unknown): Error | undefined {
  if (cause === undefined || cause === null) return undefined;
  let left = limits.failureMessage;
  return copyError(cause, ({ name, message }) => {
    if (left < 0) return undefined;
    const kept = clipText(redact(message), left);
    left -= utf8Length(kept) + 1;
    return { name, message: kept };
  });
}

/**
 * The user's code may throw a failure with half a character in its text, or with a circle of causes. The worker could not send such a
 * failure.
 */
function readableFailure(error: TemporalFailure): TemporalFailure {
  const { message, stack = '' } = error;
  if (!(error instanceof ApplicationFailure)) return error;
  const { type, nonRetryable, details, category, cause } = error;
  if (cause === undefined && message.isWellFormed() && stack.isWellFormed()) return error;
  const nextRetryDelay = error.nextRetryDelay as number | null | undefined;
  return withoutStack(
    ApplicationFailure.create({
      message: message.toWellFormed(),
      ...(type && { type: type.toWellFormed() }),
      nonRetryable: nonRetryable === true,
      details: details ?? [],
      ...(category && { category }),
      ...defined({ cause: keptCause(cause) }),
      ...(nextRetryDelay !== undefined && nextRetryDelay !== null && { nextRetryDelay }),
    }),
  );
}

/**
 * A text for any thrown value, with the texts of its causes, such as `TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:4999`. For an
 * error of Longhaul, its own message is enough.
 */
export function describeError(error: unknown): string {
  const chain = LonghaulError.is(error) ? errorChain(error).slice(0, 1) : errorChain(error);
  const [first] = chain;
  const name = first === undefined || first.name === 'Error' ? [] : [first.name];
  return redact([...name, ...chainTexts(chain)].join(': ')) || 'an error without a message';
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
  const pauseMs = (attempt: number): number =>
    Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return await retry(work, {
    while: (error, attempt) => mayPass(error) && now() + pauseMs(attempt) <= deadline,
    pause: (attempt) => sleep(pauseMs(attempt), undefined, { signal }).catch(() => undefined),
    signal,
  });
}
