// Helps to call the server: within a deadline, again after a failure that passes, and only a few calls at a time.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { grpcStatus, retry } from '../../base';
import { tellsOfOtherVersion } from '../../core/stored-format';
import { timeouts } from '../../protocol';
import {
  asLonghaulError,
  hasGrpcStatus,
  isCutOff,
  isUpdateLimit,
  isNotFound,
  isPassing,
  isRefused,
  isUnprocessed,
} from './failures';

const shortestPauseMs = 250;
const longestPauseMs = 5_000;
const updateAttempts = 10;
const updatePauseMs = 100;

export type Clock = {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
};

const realClock: Clock = { now: () => Date.now(), pause };

/** False if the signal ended it. */
export async function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return false;
  return await new Promise((resolve) => {
    const timer = setTimeout(() => finish(true), ms);
    const stop = (): void => finish(false);
    const finish = (isOver: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(isOver);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Makes a call that has 5 s, or `timeoutMs`. */
export async function inTime<Answer>(
  client: Client,
  call: () => Promise<Answer>,
  timeoutMs: number = timeouts.serverCheck,
): Promise<Answer> {
  return await client.withDeadline(Date.now() + timeoutMs, call);
}

/** Makes a query as `inTime`. While only workers of another version get it, it is made again. */
export async function askInTime<Answer>(
  client: Client,
  ask: () => Promise<Answer>,
  timeoutMs: number = timeouts.serverCheck,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  return await retry(() => inTime(client, ask, timeoutMs), {
    while: (error) => tellsOfOtherVersion(String(error)) && Date.now() < deadline,
    pause: () => pause(shortestPauseMs),
  });
}

/** Describes an execution; the newest one without `runId`. Undefined if the server does not know it. */
export async function describeIfThere(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId?: string },
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await inTime(client, () => client.workflow.getHandle(workflowId, runId).describe());
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw asLonghaulError(error);
  }
}

/**
 * Asks again, for ever while the server refuses because of its limits, and for at most `timeouts.silence` while it cannot be reached.
 * Throws any other error, also if this client ended the call itself.
 */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  clock: Clock = realClock,
): Promise<Answer> {
  let silentSince: number | undefined;
  return await retry(ask, {
    while: (error) => {
      if (!isPassing(error)) return false;
      silentSince = isRefused(error) ? undefined : (silentSince ?? clock.now());
      return silentSince === undefined || clock.now() - silentSince < timeouts.silence;
    },
    pause: (attempt) => {
      const pauseMs = Math.min(shortestPauseMs * 2 ** (attempt - 1), longestPauseMs);
      // Random, so that callers who were refused together do not return together.
      return clock.pause(pauseMs * (0.5 + Math.random() / 2));
    },
  });
}

/**
 * Sends an update again if its workflow task failed before the run saw it. That happens when the run is just ending or is being reset.
 * The server runs each update id once.
 */
export async function uninterrupted<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  return await retry(send, {
    while: (error, attempt) => wasInterrupted(error) && attempt < updateAttempts,
    pause: (attempt) => pause(attempt * updatePauseMs),
  });
}

function wasInterrupted(error: unknown): boolean {
  if (isUnprocessed(error)) return true;
  return hasGrpcStatus(error, grpcStatus.failedPrecondition) && !isUpdateLimit(error);
}

type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a function that runs the work it is given, at most `atATime` pieces at once. */
export function limited(atATime: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atATime) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/**
 * A reset or continue-as-new may close the execution before it has taken an update. This then asks the next execution, which knows the
 * taken updates.
 */
export async function overExecutions<Reply>(
  attempts: number,
  send: () => Promise<Reply>,
): Promise<Reply> {
  return await retry(send, { while: (error, attempt) => isCutOff(error) && attempt < attempts });
}
