// Makes the answer of a route about the state of a run or thread.
//
// 1. Texts of errors, and the places where workers poll, may hold internals. Only a principal that may see all runs gets them. Codes are
//    for everybody.

import type { Retrying, RunReport, RunSummary, WaitsFor } from '../client/index';
import type { ErrorCode, TurnView } from '../protocol';
import type { StreamEvent } from '../core/stream/events';
import { shownInput } from './answers';
import { titleOf } from './problems';
import type { Principal } from './route';

export function shownReport(
  { pending, rejected, result, error, retrying, waitsFor, lastPoll, ...state }: RunReport,
  principal: Principal,
): object {
  const isTrusted = principal.sees === 'all';
  return {
    ...state,
    pending: pending.map(shownInput),
    rejected: isTrusted ? rejected : rejected.map(({ message: _message, ...shown }) => shown),
    ...(retrying && { retrying: isTrusted ? retrying : retrying.map(shownRetry) }),
    ...(waitsFor && { waitsFor: isTrusted ? waitsFor : shownWait(waitsFor) }),
    ...(lastPoll && isTrusted && { lastPoll }),
    ...(result && { result: shownResult(result) }),
    ...(error && { error: shownError(error, principal) }),
  };
}

/** Errors with texts by Longhaul, or by the people who act on the run. The texts of all others may quote a tool, a provider or a store. */
const plainCodes: readonly (ErrorCode | undefined)[] = [
  'RunCancelled',
  'BudgetExceeded',
  'InputTimeout',
  'MaxIterationsExceeded',
  'MaxTurnsExceeded',
  'InvalidInput',
];

type Failure = { readonly code?: ErrorCode; readonly message: string };

function shownError<Given extends Failure>({ code, message }: Given, { sees }: Principal): Failure {
  const shown = code === undefined ? {} : { code };
  const isWhole = sees === 'all' || plainCodes.includes(code);
  return { ...shown, message: isWhole ? message : titleOf(code ?? 'InternalError') };
}

export function shownTurn({ failure, ...turn }: TurnView, principal: Principal): TurnView {
  return failure === undefined ? turn : { ...turn, failure: shownError(failure, principal) };
}

/** The event for this principal, before any protocol encodes it. */
export function shownEvent(event: StreamEvent, principal: Principal): StreamEvent {
  if (event.type !== 'end' || event.error === undefined) return event;
  const { code } = event.error;
  return { ...event, error: { ...shownError(event.error, principal), code } };
}

/** An item of a list. Only a principal that may see all runs gets the texts of errors. */
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
