// Reads histories: events page by page, the log entries in them, and why a workflow task fails.
//
// 1. A client may receive 4 MB at once, and one event may hold 2 MB: if a page is too large, smaller pages follow.
// 2. History lacks the machine's own decisions, so the log from history is shorter than the log from a worker.

import type { Client } from '@temporalio/client';
import { grpcStatus } from '../../base/grpc-status';
import { protoMs } from '../../base/duration';
import { inTime } from '../server/calls';
import { hasGrpcStatus, storageMissing } from '../server/failures';
import { tellsOfNewerVersion } from '../../core/stored-format';
import { LonghaulError } from '../../protocol/errors';
import { inflateRawSync } from 'node:zlib';
import { isJsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { LogEntry, LogPage } from '../../protocol/log';
import type { RunInput } from '../../protocol/run';
import {
  decodeOptionalFailureToOptionalError,
  ExternalStorageRunner,
} from '@temporalio/common/lib/internal-non-workflow';

/** A run whose tasks fail has few events since its last completed task. */
const mostEvents = 50;

/** In the server's API: `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR`. */
const nonDeterministic: unknown = 24;

/** `WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW`: the event with which a reset begins. No code has failed. */
const wasReset: unknown = 20;

const promptId = 'history/1';

/** Events per page, if a page is not too large. */
const pageSize = 50;

type HistoryPage = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];

export type HistoryEvent = NonNullable<NonNullable<HistoryPage>['events']>[number];

type ExecutionRef = { readonly workflowId: string; readonly runId?: string };

type Page = {
  readonly history?: HistoryPage;
  readonly nextPageToken?: Uint8Array | null;
};

type PageRequest = { readonly maximumPageSize: number; readonly nextPageToken?: Uint8Array };

/** All events, the first one first; at most `most` per page. */
export async function* historyEvents(
  client: Client,
  execution: ExecutionRef,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf(
    client,
    (page) => client.workflowService.getWorkflowExecutionHistory({ namespace, execution, ...page }),
    most,
  );
}

/** All events, the last one first; at most `most` per page. The time-skipping server reads only forwards. */
export async function* lastEvents(
  client: Client,
  execution: ExecutionRef,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  try {
    yield* eventsOf(
      client,
      (page) =>
        client.workflowService.getWorkflowExecutionHistoryReverse({
          namespace,
          execution,
          ...page,
        }),
      most,
    );
  } catch (error) {
    if (!hasGrpcStatus(error, grpcStatus.unimplemented)) throw error;
    const forwards: HistoryEvent[] = [];
    for await (const event of historyEvents(client, execution)) forwards.push(event);
    yield* forwards.reverse();
  }
}

async function* eventsOf(
  client: Client,
  read: (page: PageRequest) => Promise<Page>,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  let maximumPageSize = most;
  let nextPageToken: Uint8Array | undefined;
  do {
    try {
      const request = { maximumPageSize, ...(nextPageToken && { nextPageToken }) };
      const page = await inTime(client, () => read(request));
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken ?? new Uint8Array();
    } catch (error) {
      if (maximumPageSize === 1 || !mayBeTooLarge(error)) throw error;
      maximumPageSize = Math.ceil(maximumPageSize / 8);
    }
  } while (nextPageToken === undefined || nextPageToken.length > 0);
}

/**
 * A connection that the caller gave retries a page that is too large until its time is up. One that `connect` opened says at once that it
 * is too large.
 */
function mayBeTooLarge(error: unknown): boolean {
  const { resourceExhausted, deadlineExceeded, cancelled } = grpcStatus;
  return hasGrpcStatus(error, resourceExhausted, deadlineExceeded, cancelled);
}

/** ISO 8601. */
export function timeOf({ eventTime }: HistoryEvent): string {
  return new Date(protoMs(eventTime)).toISOString();
}

export type HistoryPayload = {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
};

export async function entriesFromHistory(client: Client, workflowId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const event of historyEvents(client, { workflowId })) {
    for (const entry of await toEntries(client, event)) {
      if (entry.id !== promptId) entries.push(entry);
      // History has a long input twice: cut in the start event, and whole before the model's first answer.
      else if (entries.length < 2) entries.splice(0, 1, entry);
    }
  }
  return entries;
}

async function toEntries(client: Client, event: HistoryEvent): Promise<LogEntry[]> {
  const [input, carried] = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (carried) return readCarriedEntries(await decode(client, carried));
  if (input) return promptEntry(await decode(client, input));
  const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
  if (!result) return [];
  const value = await decode(client, result);
  return value instanceof Uint8Array ? [...inflate<LogPage>(value).entries] : activityEntry(value);
}

/** The log that the previous execution handed over. Empty if activities pull it instead. */
function readCarriedEntries(value: unknown): LogEntry[] {
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
      `cannot read the state in the run's history: ${String(error)}`,
    );
  }
}

/** The payload itself is in an external storage of Temporal's SDK. The SDK's oldest tested minor cannot tell. */
function isReference({ metadata }: HistoryPayload): boolean {
  const type = metadata?.['messageType'];
  return Buffer.from(type ?? []).toString() === 'temporal.api.sdk.v1.ExternalStorageReference';
}

export async function decode(client: Client, payload: HistoryPayload): Promise<unknown> {
  const { payloadCodecs, payloadConverter, externalStorage } = client.options.loadedDataConverter;
  let payloads = [payload];
  if (externalStorage)
    payloads = await new ExternalStorageRunner(externalStorage).retrieve(payloads);
  else if (isReference(payload)) throw storageMissing();
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

/**
 * Why workers cannot go on with a run. `nondeterminism`: their code does not match its history. `newer-version`: a newer version of Longhaul
 * wrote its state.
 */
export type TaskFailureCause = 'nondeterminism' | 'newer-version' | 'error';

export type WorkflowTaskFailure = { readonly message: string; readonly cause: TaskFailureCause };

/** Undefined if the last task completed or timed out, or if a reset began the execution. */
export async function readTaskFailure(
  client: Client,
  workflowId: string,
): Promise<WorkflowTaskFailure | undefined> {
  let looked = 0;
  for await (const event of lastEvents(client, { workflowId })) {
    looked += 1;
    if (event.workflowTaskCompletedEventAttributes || looked > mostEvents) return undefined;
    const { cause, failure } = event.workflowTaskFailedEventAttributes ?? {};
    if (!failure || cause === wasReset) continue;
    const error = await decodeOptionalFailureToOptionalError(
      client.options.loadedDataConverter,
      failure,
    );
    const message = error?.message ?? '';
    if (cause === nonDeterministic || /nondeterminis/i.test(message))
      return { message, cause: 'nondeterminism' };
    return { message, cause: tellsOfNewerVersion(message) ? 'newer-version' : 'error' };
  }
  return undefined;
}
