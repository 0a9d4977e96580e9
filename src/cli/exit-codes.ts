import type { ErrorCode } from '../protocol/errors';

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

Errors are one line on stderr, with --json also {"error":{"code","message","details"}} on stdout; LONGHAUL_DEBUG=1 adds the stack.`;

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
