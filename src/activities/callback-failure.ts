// What becomes of a call when code of the user's that runs beside it fails.

import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { clipText } from '../base/text';
import { LonghaulError } from '../protocol/errors';
import { limits } from '../protocol/limits';
import type { CallbackHooks } from '../define/callbacks';
import { describe } from './failures';
import { isFinal } from './tool/run-tool';

const callbackAttempts = 3;
const rememberedCalls = 1_000;

export type HookPlace = { readonly callbacks: string; readonly hook: keyof CallbackHooks };

/** How often callbacks have failed in a call; attempts that a provider lost are not theirs. */
const failures = new LRUCache<string, number>({ max: rememberedCalls });

/** A callback that fails is a bug of the user's: tried again, as IO may fail once, and then the end of the run. */
export function callbackFailure(place: HookPlace, error: unknown): unknown {
  if (isCancelled(error)) return error;
  return callbackError(place, `failed: ${describe(error)}`, { retryable: isTriedAgain(error) });
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledFailure || Context.current().cancellationSignal.aborted;
}

/** Whether the call that this code of the user's failed in is made again. */
export function isTriedAgain(error: unknown): boolean {
  return countFailure() < callbackAttempts && !isLastAttempt() && !isFinal(error);
}

/** What another attempt would not change, such as an answer that is none. */
export function callbackError(
  { callbacks, hook }: HookPlace,
  problem: string,
  options: { readonly retryable: boolean } = { retryable: false },
): LonghaulError {
  const message = clipText(`callbacks '${callbacks}', ${hook}: ${problem}`, limits.failureMessage);
  return new LonghaulError('InternalError', message, { ...options, details: { callbacks, hook } });
}

function countFailure(): number {
  const { activityId, workflowExecution } = Context.current().info;
  const call = `${workflowExecution?.runId}/${activityId}`;
  const count = (failures.get(call) ?? 0) + 1;
  failures.set(call, count);
  return count;
}

function isLastAttempt(): boolean {
  const { attempt, retryPolicy } = Context.current().info;
  const maximumAttempts = retryPolicy?.maximumAttempts ?? 0;
  return maximumAttempts > 0 && attempt >= maximumAttempts;
}
