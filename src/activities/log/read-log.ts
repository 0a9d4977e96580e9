import { inflateRawSync } from 'node:zlib';
import { Context } from '@temporalio/activity';
import { tellsOfOtherVersion } from '../../core/stored-format';
import {
  type ChildInputQuery,
  type ClientTool,
  limits,
  type LogEntry,
  type LogPage,
  type LogQuery,
  type LogRef,
  LonghaulError,
  queryNames,
  type RunnerSpec,
  timeouts,
} from '../../protocol';
import type { JsonObject } from '../../base';
import { triedAgain } from '../failures';
import type { LogCache } from './log-cache';

/**
 * gRPC status codes of errors that may pass: unknown, deadline exceeded, resource exhausted, failed precondition, aborted, internal,
 * unavailable.
 */
const passing: readonly unknown[] = [2, 4, 8, 9, 10, 13, 14];

/** The log that a ref names, from this process or from the run. Stops when the activity is cancelled. */
export async function readLog(
  logCache: LogCache,
  ref: LogRef,
  signal: AbortSignal,
): Promise<readonly LogEntry[]> {
  return await logCache.read(ref, async (from) => {
    signal.throwIfAborted();
    return await askRun<LogPage>(ref, queryNames.log, { from });
  });
}

/** Like `readLog`, for a run that has just closed. */
export async function readClosedLog(
  logCache: LogCache,
  ref: LogRef,
  signal: AbortSignal,
): Promise<readonly LogEntry[]> {
  return await logCache.read(ref, async (from) => {
    signal.throwIfAborted();
    return inflatedPage(ref.workflowId, await askClosedLog(ref, from));
  });
}

/** A page of the log of a closed run. It is large and deflated, because each query replays the whole run. */
export async function askClosedLog(ref: LogRef, from: number): Promise<Uint8Array> {
  return await askRun<Uint8Array>(ref, queryNames.log, { from, deflate: true });
}

/** A page that cannot be read, or is too large, fails for good: another attempt would get the same. */
function inflatedPage(workflowId: string, bytes: Uint8Array): LogPage {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: limits.inflated }).toString();
    return JSON.parse(text) as LogPage;
  } catch (error) {
    throw new LonghaulError(
      'StateError',
      `a page of the log of run '${workflowId}' cannot be read: ${String(error)}`,
    );
  }
}

/** Queries a run through the activity's own client. The deadline is longer than a dead worker's sticky queue lives. */
export async function askRun<Answer>(
  run: { readonly workflowId: string; readonly runId?: string },
  query: string,
  input?: LogQuery | ChildInputQuery,
): Promise<Answer> {
  const { client, cancellationSignal } = Context.current();
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  try {
    const args = input === undefined ? [] : [input];
    const ask = (): Promise<Answer> =>
      client.withDeadline(Date.now() + timeouts.logQuery, () =>
        handle.query<Answer, unknown[]>(query, ...args),
      );
    return await askedAgain(ask, cancellationSignal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError(
      'InternalError',
      `query '${query}' of run '${run.workflowId}' failed: ${reason}`,
      {
        cause: error,
        retryable: true,
      },
    );
  }
}

/** The current session of a run. */
export async function askSession(workflowId: string): Promise<JsonObject> {
  return await askRun<JsonObject>({ workflowId }, queryNames.session);
}

/** The context a run was started with. */
export async function askContext(workflowId: string): Promise<JsonObject> {
  return await askRun<JsonObject>({ workflowId }, queryNames.context);
}

/** The spec a run was started with. */
export async function askRunner(workflowId: string): Promise<RunnerSpec> {
  return await askRun<RunnerSpec>({ workflowId }, queryNames.runner);
}

/** The tools that the client of a run brought. */
export async function askClientTools(workflowId: string): Promise<readonly ClientTool[]> {
  return await askRun<readonly ClientTool[]>({ workflowId }, queryNames.clientTools);
}

/** Repeats a query while a worker restarts, the server is away, or a worker of another version answers. Gives up after `timeouts.askAgain`. */
export async function askedAgain<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<Answer> {
  return await triedAgain(ask, { signal, deadline: now() + timeouts.askAgain, mayPass, now });
}

/** The client may wrap the server's error several times. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isPassing = 'code' in error && passing.includes(error.code);
  return isPassing || tellsOfOtherVersion(error.message) || mayPass(error.cause);
}
