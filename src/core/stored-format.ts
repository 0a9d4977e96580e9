// The format of a stored state. Pure.
//
// 1. A version raises a format when an older version must not overlook what is new. An older version ignores what it may overlook.
// 2. A member that is missing or has another type is damage: nobody can read the state.
// 3. A state of a newer version is no fault of the run: the error is `retryable`, because a worker of that version can read it.

import { formatProblem, type Schema, shapeProblem } from '../base';
import { hasCode, LonghaulError } from '../protocol/errors';
import { taskComesFirst } from '../protocol/names';

/** `what` names the state. Throws a `StateError` unless `format` is a whole number from 1 to `newest`. */
export function requireFormat(what: string, format: unknown, newest: number): void {
  const isFormat = Number.isSafeInteger(format) && Number(format) >= 1;
  if (isFormat && Number(format) <= newest) return;
  const found = `${what} has format ${JSON.stringify(format)}`;
  if (isFormat) throw ofNewerVersion(`${found}; this version reads format ${newest}`);
  throw new LonghaulError('StateError', `${found}, which no version of Longhaul writes.`);
}

const newerVersion = 'A newer version of Longhaul wrote it';

/** `found` names the part of a state that this version does not know. */
export function ofNewerVersion(found: string): LonghaulError {
  return new LonghaulError(
    'StateError',
    `${found}. ${newerVersion}: start workers of that version.`,
    { retryable: true },
  );
}

/** Whether the message of a failed workflow task is one of these errors. */
export function tellsOfNewerVersion(message: string): boolean {
  return message.includes(newerVersion);
}

/** The error of a query on a worker where the workflow task of the run has just failed. */
export const taskFailedHere = 'the workflow task of this run has failed on this worker';

/**
 * True if another try of the query may get an answer: a worker of another version may read the run, or the next workflow task takes the
 * events first. `TMPRL1100` is Temporal's code for nondeterminism.
 */
export function tellsOfOtherVersion(message: string): boolean {
  const signs = ['TMPRL1100', taskFailedHere, taskComesFirst, newerVersion];
  return signs.some((sign) => message.includes(sign));
}

/** Whether a worker of a newer version may go on. */
export function isOfNewerVersion(error: unknown): error is LonghaulError {
  return hasCode(error, 'StateError') && error.retryable;
}

/** Throws a `StateError` that names the first member that is missing or wrong. */
export function requireShape(what: string, shape: Schema, value: unknown): void {
  const problem = shapeProblem(shape, value);
  if (problem !== undefined)
    throw new LonghaulError('StateError', `${what} is damaged: ${formatProblem(problem)}`);
}
