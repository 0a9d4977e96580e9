// The state of a run or thread as its route answers it.
//
// 1. Errors of calls in progress, and where workers poll, may hold internals: only who may see all runs gets them.

import type { RunReport } from '../client/why/report';
import type { WaitsFor } from '../client/why/diagnosis';
import type { RunSummary } from '../client/lists';
import type { Retrying } from '../client/why/open-calls';
import { shownInput } from './answers';
import type { Principal } from './route';

export function shownReport(
  { pending, result, error, retrying, waitsFor, lastPoll, ...state }: RunReport,
  { sees }: Principal,
): object {
  const isTrusted = sees === 'all';
  return {
    ...state,
    pending: pending.map(shownInput),
    ...(retrying && { retrying: isTrusted ? retrying : retrying.map(shownRetry) }),
    ...(waitsFor && { waitsFor: isTrusted ? waitsFor : shownWait(waitsFor) }),
    ...(lastPoll && isTrusted && { lastPoll }),
    ...(result && { result: shownResult(result) }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

/** Of a list. Errors are only for who may see all runs. */
export function shownListed<Item extends Pick<RunSummary, 'pending' | 'retrying'>>(
  { pending, retrying, ...rest }: Item,
  { sees }: Principal,
): object {
  const { lastError: _error, ...shown } = retrying ?? { lastError: undefined };
  return {
    ...rest,
    pending: pending.map(shownInput),
    ...(retrying && { retrying: sees === 'all' ? retrying : shown }),
  };
}

function shownRetry({ what, attempt, code, nextAt }: Retrying): object {
  return { what, attempt, code, nextAt };
}

function shownWait(waitsFor: WaitsFor): object {
  switch (waitsFor.kind) {
    case 'worker':
      return { kind: waitsFor.kind, since: waitsFor.since, workers: waitsFor.workers };
    case 'deploy':
      return { kind: waitsFor.kind, since: waitsFor.since, attempt: waitsFor.attempt };
    case 'slot':
      return { kind: waitsFor.kind, since: waitsFor.since, what: waitsFor.what };
    case 'child':
      return { ...waitsFor, waitsFor: shownWait(waitsFor.waitsFor) };
    default:
      return waitsFor;
  }
}

function shownResult({
  finalResponse: { text, structured },
  completionReason,
  usage,
  costUsd,
}: NonNullable<RunReport['result']>): object {
  return { text, structured, completionReason, usage, costUsd };
}
