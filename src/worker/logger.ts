import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { LogLevel } from '@temporalio/common';
import { formatEntry, isRepeated, type LogEntry, logFormat } from './log-lines';

export type LineLogOptions = {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  /** Default: all entries. */
  readonly shows?: (entry: LogEntry) => boolean;
  /** Takes the lines. Default: they go to standard error. */
  readonly write?: ((line: string) => void) | undefined;
};

let isInstalled = false;

/**
 * Writes each entry of the log of Temporal's worker as one line, on standard error. The log belongs to the process, and the first log that
 * is installed stays: the user's own wins.
 */
export function installLineLog({
  level,
  shows = () => true,
  write = toStderr,
}: LineLogOptions): void {
  if (isInstalled) return;
  isInstalled = true;
  const format = logFormat();
  const logger = new DefaultLogger(level, (entry: LogEntry) => {
    if (!isRepeated(entry) && shows(entry)) write(`${formatEntry(entry, format)}\n`);
  });
  const core = level === 'ERROR' ? 'ERROR' : 'WARN';
  const filter = makeTelemetryFilterString({ core, other: 'ERROR' });
  try {
    // Temporal's native part writes its own lines. If it forwarded them, a program would not end while a connection is open.
    Runtime.install({ logger, telemetryOptions: { logging: { filter } } });
  } catch {
    // The user has installed one.
  }
}

function toStderr(line: string): void {
  process.stderr.write(line);
}
