// What a worker writes to its log about the calls that it makes. Each line names the run, the agent, the turn, the attempt and the call.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Context } from '@temporalio/activity';
import { copyError, defined, isPlainObject, oneLine } from '../base';
import { limits, LonghaulError } from '../protocol';
import { redact, redactError } from '../providers';
import { describeError } from './failures';

/** The part of a logger that a worker uses. Temporal's loggers have it, and `console`. */
export type WorkerLogger = {
  debug(message: string, meta?: Record<string, unknown>): void;
  info(message: string, meta?: Record<string, unknown>): void;
  warn(message: string, meta?: Record<string, unknown>): void;
  error(message: string, meta?: Record<string, unknown>): void;
};

export type LogDependencies = {
  /** Gets the lines of the calls. Default: the logger of Temporal's worker. */
  readonly logger?: WorkerLogger;
};

type Level = keyof WorkerLogger;

const current = new AsyncLocalStorage<WorkerLogger>();

/** The logger of the current call. The user's code gets it as `log`. */
export function callLog(): WorkerLogger {
  return current.getStore() ?? Context.current().log;
}

/**
 * Runs `work`. Each line that it logs names the call of `input`. The lines go to `logger`, by default to the logger of Temporal's worker.
 */
export async function withCallLog<Result>(
  { logger }: LogDependencies,
  input: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const { info, log } = Context.current();
  const { attempt, activityType, workflowExecution } = info;
  const fields = {
    workflowId: workflowExecution?.workflowId,
    activityType,
    attempt,
    ...fieldsOf(input),
  };
  return await current.run(naming(logger ?? log, fields), work);
}

/** Does work of one call within another, such as that of an inline tool. */
export async function withinCallLog<Result>(
  input: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  return await current.run(naming(callLog(), fieldsOf(input)), work);
}

/**
 * Writes what failed, with the stack of the code that threw. An error of Longhaul needs no stack: its `cause` is the error that code threw,
 * if there is one.
 */
export function logFailure(level: 'warn' | 'error', what: string, thrown: unknown): void {
  const isOurs = LonghaulError.is(thrown);
  const text = isOurs ? redact(thrown.message) : describeError(thrown);
  const code = isOurs ? thrown.code : undefined;
  const cause = isOurs ? thrown.cause : thrown;
  const isWhole = isOurs && cause === undefined;
  const error = isWhole ? undefined : copyError(cause, (read) => redactError(read));
  callLog()[level](oneLine(`${what}: ${text}`, limits.failureMessage), defined({ code, error }));
}

/** Never throws: a logger may be the user's own, and its failure must not end a call. */
function naming(logger: WorkerLogger, fields: Record<string, unknown>): WorkerLogger {
  const write =
    (level: Level): WorkerLogger[Level] =>
    (message, meta) => {
      try {
        logger[level](message, { ...fields, ...meta });
      } catch {
        // The line is lost.
      }
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

const named = ['agentId', 'path', 'turn', 'callId', 'tool'] as const;

function fieldsOf(input: unknown): Record<string, unknown> {
  if (!isPlainObject(input)) return {};
  return Object.fromEntries(
    named.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );
}
