// The log of a run as far as its history alone tells: what it was started with and what its activities returned. Decisions of the
// machine are not in history; they are there when a worker answers.

import type { Client } from '@temporalio/client';
import { isJsonObject, type JsonObject } from '../protocol/json';
import type { LogEntry } from '../protocol/log';
import type { RunInput } from '../protocol/run';

/** Small: a page of large results must not exceed what a gRPC message may hold. */
const pageSize = 50;

type HistoryPage = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
type HistoryEvent = NonNullable<NonNullable<HistoryPage['history']>['events']>[number];
type Payload = {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
};

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
      const entry = await toEntry(client, event);
      if (entry !== undefined) entries.push(entry);
    }
    nextPageToken = page.nextPageToken?.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return entries;
}

async function toEntry(client: Client, event: HistoryEvent): Promise<LogEntry | undefined> {
  const input = event.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  if (input) return promptEntry(await decode(client, input));
  const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
  return result ? activityEntry(await decode(client, result)) : undefined;
}

async function decode(client: Client, payload: Payload): Promise<JsonObject | undefined> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  let payloads = [payload];
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  const value: unknown =
    payloads[0] === undefined ? undefined : payloadConverter.fromPayload(payloads[0]);
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
  return isJsonObject(entry) && typeof entry['kind'] === 'string'
    ? (entry as unknown as LogEntry)
    : undefined;
}
