// The log of a run as far as its history alone tells: what it was started with or carried over, and what its activities returned. Decisions of the
// machine are not in history; they are there when a worker answers.

import { LonghaulError } from '../protocol/errors';
import { inflateRawSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { isJsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import type { LogEntry, LogPage } from '../protocol/log';
import type { RunInput } from '../protocol/run';
import { historyEvents, type HistoryEvent } from './history-events';

const promptId = 'history/1';

export type Payload = {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
};

export async function entriesFromHistory(client: Client, workflowId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const event of historyEvents(client, { workflowId })) {
    for (const entry of await toEntries(client, event)) {
      if (entry.id !== promptId) entries.push(entry);
      // The whole of an input of which the start has the beginning: nothing else comes before a model's first answer.
      else if (entries.length < 2) entries.splice(0, 1, entry);
    }
  }
  return entries;
}

async function toEntries(client: Client, event: HistoryEvent): Promise<LogEntry[]> {
  const [input, carried] = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (carried) return carriedEntries(await decode(client, carried));
  if (input) return promptEntry(await decode(client, input));
  const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
  if (!result) return [];
  const value = await decode(client, result);
  return value instanceof Uint8Array ? [...inflate<LogPage>(value).entries] : activityEntry(value);
}

/** What the execution before this one handed over: the log itself, or nothing where activities pulled it. */
function carriedEntries(value: unknown): LogEntry[] {
  if (!(value instanceof Uint8Array)) return [];
  return inflate<{ entries?: LogEntry[] }>(value).entries ?? [];
}

function inflate<Value>(bytes: Uint8Array): Value {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: limits.inflated }).toString();
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new LonghaulError(
      'StateError',
      `the run's history holds a state that cannot be read: ${String(error)}`,
    );
  }
}

export async function decode(client: Client, payload: Payload): Promise<unknown> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  let payloads = [payload];
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  return payloads[0] === undefined ? undefined : payloadConverter.fromPayload(payloads[0]);
}

function promptEntry(value: unknown): LogEntry[] {
  const input = isJsonObject(value) ? (value as unknown as RunInput).input : undefined;
  if (input === undefined) return [];
  const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input;
  return [{ id: promptId, kind: 'user', message: { role: 'user', parts } }];
}

function activityEntry(value: unknown): LogEntry[] {
  if (isJsonObject(value) && 'input' in value) return promptEntry(value);
  const entry = isJsonObject(value) ? value['entry'] : undefined;
  const isEntry = isJsonObject(entry) && typeof entry['kind'] === 'string';
  return isEntry ? [entry as unknown as LogEntry] : [];
}
