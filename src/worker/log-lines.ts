// Writes the entries of a worker's log: one line each, for people or for machines. Imports no part of Temporal's worker.

import type { LogLevel, LogMetadata } from '@temporalio/common';
import { wasLogged } from '../activities';
import { clipText, errorChain, type ReadError } from '../base';

/** `text`: a line for people, and the stack of an error indented below it. `json`: one object in a line. */
export type LogFormat = 'text' | 'json';

export type LogEntry = {
  readonly level: LogLevel;
  readonly message: string;
  readonly meta?: LogMetadata;
  readonly timestampNanos: bigint;
};

const valueBytes = 1_000;

/** The fields that a line begins with. */
const first = ['workflowId', 'agentId', 'path', 'turn', 'attempt', 'callId', 'tool'] as const;

/** Fields that the SDK adds to each line, and that nobody reads. */
const unread: ReadonlySet<string> = new Set([
  'activityId',
  'activityRunId',
  'isLocal',
  'namespace',
  'sdkComponent',
  'spanContexts',
  'target',
  'taskToken',
  'workflowRunId',
  'workflowType',
]);

/** Whether the SDK repeats a failure that Longhaul has logged already. */
export function isRepeated({ message, meta }: LogEntry): boolean {
  return message === 'Activity failed' && wasLogged(meta?.['error']);
}

/** True for warnings, errors, and lines about the calls of the user's code. */
export function isForPeople(entry: LogEntry): boolean {
  return entry.level === 'WARN' || entry.level === 'ERROR' || isOfCall(entry);
}

/** True if Longhaul or the user's code wrote the line in a call. */
export function isOfCall({ meta }: LogEntry): boolean {
  return meta?.['sdkComponent'] === 'activity';
}

/** The format that `LONGHAUL_LOG` asks for. */
export function logFormat(named = process.env['LONGHAUL_LOG']): LogFormat {
  return named === 'json' ? 'json' : 'text';
}

/** The line of an entry, without a line break at the end. */
export function formatEntry(entry: LogEntry, format: LogFormat): string {
  return format === 'json' ? jsonLine(entry) : textLines(entry);
}

function textLines(entry: LogEntry): string {
  const { level, message, meta = {} } = entry;
  const { error, ...others } = meta as Record<string, unknown>;
  const ordered = { ...Object.fromEntries(first.map((name) => [name, others[name]])), ...others };
  const fields = Object.entries(ordered).flatMap(([name, value]) =>
    value === undefined || unread.has(name) ? [] : [`${name}=${shown(value)}`],
  );
  const line = [timeOf(entry), level.padEnd(5), inLine(message), ...fields].join(' ');
  return [line, ...(error === undefined ? [] : errorLines(error))].join('\n');
}

function errorLines(error: unknown): readonly string[] {
  return errorChain(error).flatMap((read, index) => {
    const text = `${index === 0 ? '' : 'caused by: '}${stackOf(read)}`;
    return text.split('\n').map((line) => `    ${inLine(line)}`);
  });
}

function stackOf({ name, message, stack }: ReadError): string {
  return stack ?? `${name}: ${message}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value);
  const isPlain = typeof value !== 'string' || /^[\w.:/@#~+-]+$/.test(text);
  return inLine(clipText(isPlain ? text : JSON.stringify(text), valueBytes));
}

function jsonLine(entry: LogEntry): string {
  const { level, message, meta = {} } = entry;
  const { error, taskToken: _taskToken, ...others } = meta as Record<string, unknown>;
  const [thrown, ...causes] = error === undefined ? [] : errorChain(error);
  const errors = thrown && { error: { ...thrown, ...(causes.length > 0 && { causes }) } };
  return jsonOf({ time: timeOf(entry), level, message, ...others, ...errors });
}

function timeOf({ timestampNanos }: LogEntry): string {
  return new Date(Number(timestampNanos / 1_000_000n)).toISOString();
}

/** The JSON of a logged value. The user's code may log circles, or numbers that JSON does not have. */
function jsonOf(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? String(member) : member,
    ) as string | undefined;
    return text ?? String(value);
  } catch {
    return '"[not JSON]"';
  }
}

/** Makes a text of a model or a user safe: it cannot begin a new line, or control a terminal. */
function inLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
