import type { LogLevel, LogMetadata } from '@temporalio/common';
import { redact } from '../../providers/redact';
import { clipToWidth } from '../render/table';
import { printableLine } from '../render/printable';
import { loadTemporalWorker } from './load-parts';

const longestLine = 500;
/** What the command says itself, and what is nobody's concern: a late answer to a query, a run that was dropped at work. */
const unsaid: readonly string[] = [
  'Workflow failed',
  'Query not found when attempting to respond to it',
  'There were leftover buffered tasks when evicting run',
];
const shown: readonly LogLevel[] = ['WARN', 'ERROR'];

type Note = (line: string, workflowId: string | undefined) => void;

/** The SDK has one log for a process; all commands that run in it listen. */
const listeners = new Set<Note>();
let isInstalled = false;

/**
 * Sends what the SDK and its native core have to say to `note`, one line each, warnings and errors only, with the id of the run
 * that it is about, until the returned function is called. Must run before anything of a worker exists.
 */
export function installWorkerLog(note: Note): () => void {
  listeners.add(note);
  if (!isInstalled) installLogger();
  isInstalled = true;
  return () => void listeners.delete(note);
}

/** Ctrl-C and signals stay with the command: the SDK would stop the worker by itself. */
function installLogger(): void {
  const { Runtime, DefaultLogger, makeTelemetryFilterString } = loadTemporalWorker();
  const isDebugging = process.env['LONGHAUL_DEBUG'] === '1';
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(isDebugging ? 'DEBUG' : 'WARN', ({ level, message, meta }) => {
      if (isDebugging || (shown.includes(level) && !unsaid.includes(message))) {
        const workflowId: unknown = meta?.['workflowId'];
        const about = typeof workflowId === 'string' ? workflowId : undefined;
        for (const note of listeners) note(logLine(level, message, meta), about);
      }
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
  });
}

function logLine(level: LogLevel, message: string, meta: LogMetadata = {}): string {
  const { error, activityType, workflowId, sdkComponent } = meta as Record<string, unknown>;
  const causes = error instanceof Error ? [rootMessage(error)] : [];
  const where = typeof workflowId === 'string' ? [`run ${workflowId}`] : [];
  const what = typeof activityType === 'string' ? [activityType] : [];
  const text = redact([message, ...what, ...where, ...causes].map(printableLine).join(': '));
  const kind = level === 'WARN' ? 'warning' : level.toLowerCase();
  const from = sdkComponent === 'core' ? " of Temporal's core" : '';
  return clipToWidth(`${kind}${from}: ${text}`, longestLine);
}

function rootMessage(error: Error): string {
  let root = error;
  while (root.cause instanceof Error) root = root.cause;
  return root.message;
}
