import { type ErrorCode, type ErrorDetails, LonghaulError } from '../protocol';
import { grpcStatus } from '../base';
import { printable, printableLine } from './render/text';

const longestMessage = 2_000;

/** Errors with several lines of text. Others may have text from anybody, so they are shown on one line. */
const ofSeveralLines: readonly string[] = ['SpecError', 'InvalidAnswer', 'UsageError'];

const namespaceHint =
  'Create it with `temporal operator namespace create`, or set TEMPORAL_NAMESPACE or --namespace';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  needsInput: 3,
  cancelled: 4,
  unavailable: 5,
  interrupted: 130,
} as const;

export const exitCodeHelp = `
Exit codes:
  0    done
  1    error, or the run failed
  2    wrong usage
  3    the run needs input
  4    the run was cancelled
  5    no server, or no worker
  130  interrupted; the run goes on

Errors are on stderr, with a line for each problem. With --json, stdout also has
{"error":{"code","message","details"}}. LONGHAUL_DEBUG=1 adds the stack.`;

const byError: Partial<Record<ErrorCode, number>> = {
  InvalidInput: exitCodes.usage,
  RunCancelled: exitCodes.cancelled,
  ServerUnavailable: exitCodes.unavailable,
  NoWorker: exitCodes.unavailable,
};

export function exitCodeOf(code: string): number {
  if (code === 'UsageError') return exitCodes.usage;
  return byError[code as ErrorCode] ?? exitCodes.failed;
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The person stopped the command but not the run. The message names what goes on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** How a command fails. */
export type CliError = {
  readonly code: string;
  /** One line, or a line for each of several problems. */
  readonly message: string;
  readonly details: ErrorDetails;
};

export function toCliError(error: unknown): CliError {
  const { code, message, details } = classify(error);
  const text = ofSeveralLines.includes(code) ? printableLines(message) : printableLine(message);
  const clipped = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
  return { code, message: clipped || code, details };
}

function printableLines(message: string): string {
  const lines = printable(message).split('\n');
  return lines.filter((line) => line.trim() !== '').join('\n');
}

function classify(error: unknown): CliError {
  if (LonghaulError.is(error)) return error;
  if (error instanceof UsageError)
    return { code: 'UsageError', message: error.message, details: {} };
  if (isCommanderError(error)) {
    const message = printableLine(error.message.replace(/^error: /, ''));
    return { code: 'UsageError', message, details: {} };
  }
  if (error instanceof Error && error.name === 'NamespaceNotFoundError') {
    return unavailable(`${error.message}. ${namespaceHint}`);
  }
  const status = grpcStatusOf(error);
  if (status !== undefined) return fromGrpc(status);
  return { code: 'InternalError', message: messageOf(error), details: {} };
}

function isCommanderError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('commander.')
  );
}

type GrpcStatus = { readonly code: number; readonly details: string };

/** The server's answer to a refused call. Undefined for other errors. */
export function grpcStatusOf(error: unknown): GrpcStatus | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, details } = cause as { code?: unknown; details?: unknown };
    if (typeof code === 'number' && typeof details === 'string') return { code, details };
  }
  return undefined;
}

function fromGrpc({ code, details }: GrpcStatus): CliError {
  if (code === grpcStatus.unavailable || code === grpcStatus.deadlineExceeded) {
    return unavailable(`the Temporal server does not answer: ${details}`);
  }
  if (code === grpcStatus.notFound && /namespace/i.test(details)) {
    return unavailable(`${details} ${namespaceHint}`);
  }
  if (code === grpcStatus.permissionDenied || code === grpcStatus.unauthenticated) {
    return unavailable(`the Temporal server refuses the credentials: ${details}`);
  }
  if (code === grpcStatus.unimplemented) {
    return unavailable(
      `the server at this address is not a Temporal server, or it is too old: ${details}`,
    );
  }
  return { code: 'InternalError', message: details, details: { status: code } };
}

function unavailable(message: string): CliError {
  return { code: 'ServerUnavailable', message, details: {} };
}

export function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
