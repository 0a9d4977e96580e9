// The format of a stored state. Pure.
//
// 1. A version raises a format when an older version must not overlook what is new. What it may overlook, it ignores.
// 2. A state of a newer version is no fault of the run: the error is `retryable`, because a worker of that version can read it.

import { hasCode, LonghaulError } from '../protocol/errors';

/** `what` names the state. Throws a `StateError` unless `format` is a whole number from 1 to `newest`. */
export function requireFormat(what: string, format: unknown, newest: number): void {
  const isFormat = Number.isSafeInteger(format) && Number(format) >= 1;
  if (isFormat && Number(format) <= newest) return;
  const found = `${what} has format ${JSON.stringify(format)}`;
  if (isFormat) throw ofNewerVersion(`${found}; this version reads format ${newest}`);
  throw new LonghaulError('StateError', `${found}, which no version of Longhaul writes.`);
}

const newerVersion = 'A newer version of Longhaul wrote it';

/** `found` says what a state has that this version does not know. */
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

/** Whether a worker of a newer version may go on. */
export function isOfNewerVersion(error: unknown): boolean {
  return hasCode(error, 'StateError') && error.retryable;
}
