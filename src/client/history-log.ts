// The log of a run as far as its history alone tells: what it was started with and what its activities returned. Decisions of the
// machine are not in history; they are there when a worker answers.

import type { Client } from '@temporalio/client';
import { isJsonObject, type JsonObject } from '../protocol/json';
import type { LogEntry } from '../protocol/log';
import type { RunInput } from '../protocol/run';

const pageSize = 50;

type Payload = { readonly metadata?: Record<string, Uint8Array> | null; readonly data?: Uint8Array | null };

export async function entriesFromHistory(client: Client, runId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId: runId },
      maximumPageSize: pageSize,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      const input = event.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
      const value = await decode(client, input ?? result);
      const entry = input ? promptEntry(value) : activityEntry(value);
      if (entry !== undefined) entries.push(entry);
    }
    nextPageToken = page.nextPageToken?.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return entries;
}

async function decode(client: Client, payload: Payload | null | undefined): Promise<JsonObject | undefined> {
  if (payload === undefined || payload === null) return undefined;
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  let payloads = [payload];
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  const value: unknown = payloads[0] === undefined ? undefined : payloadConverter.fromPayload(payloads[0]);
  return isJsonObject(value) ? value : undefined;
}

function promptEntry(value: JsonObject | undefined): LogEntry | undefined {
  const input = (value as unknown as RunInput | undefined)?.input;
  if (input === undefined) return undefined;
  const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input;
  return { id: 'history/1', kind: 'user', message: { role: 'user', parts } };
}

function activityEntry(value: JsonObject | undefined): LogEntry | undefined {
  const entry = value?.['entry'];
  return isJsonObject(entry) && typeof entry['kind'] === 'string' ? (entry as unknown as LogEntry) : undefined;
}
