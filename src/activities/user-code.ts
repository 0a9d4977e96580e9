// Runs the user's code on this worker: callbacks, criteria, tools. It decides when the code stops, and what a failure of it means for the
// call.

import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { clipText, type JsonObject } from '../base';
import { checkExactJson, isOwnKey, sessionDelta, violationText } from '../core/session';
import { type ErrorDetails, limits, LonghaulError, type SessionDelta } from '../protocol';
import { describeError } from './failures';

const maxAttempts = 3;
const rememberedCalls = 1_000;

/** How often the user's code failed in a call. Attempts that a provider lost do not count. */
const failures = new LRUCache<string, number>({ max: rememberedCalls });

/** Names the code in errors: its name in a sentence, and the details of the error. */
export type CodePlace = { readonly name: string; readonly details: ErrorDetails };

/** Runs a hook or a criterion. If it throws, Temporal retries the call, because IO may fail once. After that the run fails. */
export async function runUserCode<Result>(
  place: CodePlace,
  code: () => Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  try {
    return await untilAborted(async () => await code(), signal);
  } catch (error) {
    if (isCancelled(error)) throw error;
    const retryable = countFailure() < maxAttempts && !isLastAttempt() && !isFinal(error);
    const problem = `failed: ${describeError(error)}`;
    throw userCodeError(place, problem, { retryable, cause: error });
  }
}

/** Not retried by default: another attempt would not change a wrong answer. */
export function userCodeError(
  { name, details }: CodePlace,
  problem: string,
  options: { readonly retryable: boolean; readonly cause?: unknown } = { retryable: false },
): LonghaulError {
  const message = clipText(`${name}: ${problem}`, limits.failureMessage);
  return new LonghaulError('InternalError', message, { ...options, details });
}

/** Stops waiting when the signal aborts: code that ignores its signal delays neither a cancelled run nor a worker that shuts down. */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * A signal that aborts with the first of these. Node keeps all that listens to a signal of `AbortSignal.any` while a source of it can be
 * reached, and the listener of an attempt reaches its own sources: each attempt would stay in memory for ever, with its prompt.
 */
export function anySignal(sources: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController();
  for (const source of sources) {
    if (source.aborted) own.abort(source.reason);
    else source.addEventListener('abort', () => own.abort(source.reason), { once: true });
  }
  return own.signal;
}

/** `mayReserve`: the code may write reserved keys, which are never merged. */
type SessionRules = { readonly keys: readonly string[]; readonly mayReserve?: boolean };

/** The changes of the code in its session. A problem is an error of the code, because its changes would otherwise be lost. */
export function sessionChanges(
  { keys, mayReserve = false }: SessionRules,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): { readonly delta: SessionDelta; readonly problem?: string } {
  const violation = checkExactJson(after);
  if (violation !== undefined) {
    const problem = `left a session that is not JSON${violationText(violation)}`;
    return { delta: { set: {}, removed: [] }, problem };
  }
  const delta = sessionDelta(before, after);
  const isAllowed = (key: string): boolean => keys.includes(key) || (mayReserve && !isOwnKey(key));
  const foreign = [...Object.keys(after), ...delta.removed].filter((key) => !isAllowed(key));
  if (foreign.length === 0) return { delta };
  return { delta, problem: `changed session keys it does not declare: ${foreign.join(', ')}` };
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledFailure || Context.current().cancellationSignal.aborted;
}

/** True if the error is marked as one that another attempt would not help. */
export function isFinal(error: unknown): boolean {
  if (LonghaulError.is(error)) return !error.retryable;
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

function countFailure(): number {
  const { activityId, workflowExecution } = Context.current().info;
  const call = `${workflowExecution?.runId}/${activityId}`;
  const count = (failures.get(call) ?? 0) + 1;
  failures.set(call, count);
  return count;
}

/** True if the server makes no further attempt after this one. */
export function isLastAttempt(): boolean {
  const { attempt, retryPolicy } = Context.current().info;
  const maximumAttempts = retryPolicy?.maximumAttempts ?? 0;
  return maximumAttempts > 0 && attempt >= maximumAttempts;
}
