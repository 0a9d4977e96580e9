import type { Client } from '@temporalio/client';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus } from './failures';
import { LonghaulError } from '../protocol/errors';
import { inflateRawSync } from 'node:zlib';
import { isJsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import type { LogEntry, LogPage } from '../protocol/log';
import type { RunInput } from '../protocol/run';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';

/** A run whose tasks fail has few events since its last good one. */
const mostEvents = 50;

/** `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR` of the server's API. */
const nonDeterministic: unknown = 24;

const promptId = 'history/1';

/** Events a page holds, as long as they fit. */
const pageSize = 50;

// The events of an execution, page by page: a client may receive 4 MB at a time, and one event may hold 2.

type HistoryPage = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];

export type HistoryEvent = NonNullable<NonNullable<HistoryPage>['events']>[number];

type Execution = { readonly workflowId: string; readonly runId?: string };

type Page = {
  readonly history?: HistoryPage;
  readonly nextPageToken?: Uint8Array | null;
};

type PageRequest = { readonly maximumPageSize: number; readonly nextPageToken?: Uint8Array };

/** From the first on. */
export async function* historyEvents(
  client: Client,
  execution: Execution,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf((page) =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, ...page }),
  );
}

/** From the last back; `most` of them at a time. */
export async function* lastEvents(
  client: Client,
  execution: Execution,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf(
    (page) =>
      client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, ...page }),
    most,
  );
}

async function* eventsOf(
  read: (page: PageRequest) => Promise<Page>,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  let maximumPageSize = most;
  let nextPageToken: Uint8Array | undefined;
  do {
    try {
      const page = await read({ maximumPageSize, ...(nextPageToken && { nextPageToken }) });
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken ?? new Uint8Array();
    } catch (error) {
      if (maximumPageSize === 1 || !hasGrpcStatus(error, grpcStatus.resourceExhausted)) throw error;
      maximumPageSize = Math.ceil(maximumPageSize / 8);
    }
  } while (nextPageToken === undefined || nextPageToken.length > 0);
}

// The log of a run as far as its history alone tells: what it was started with or carried over, and what its activities returned. Decisions of the
// machine are not in history; they are there when a worker answers.

export type HistoryPayload = {
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
  if (carried) return readCarriedEntries(await decode(client, carried));
  if (input) return promptEntry(await decode(client, input));
  const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
  if (!result) return [];
  const value = await decode(client, result);
  return value instanceof Uint8Array ? [...inflate<LogPage>(value).entries] : activityEntry(value);
}

/** What the execution before this one handed over: the log itself, or nothing where activities pulled it. */
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
      `the run's history holds a state that cannot be read: ${String(error)}`,
    );
  }
}

export async function decode(client: Client, payload: HistoryPayload): Promise<unknown> {
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

// Why the workflow task of a run fails, as the run's history says it.

export type WorkflowTaskFailure = {
  readonly message: string;
  /** The code of the worker does not fit the history of the run. */
  readonly isNondeterminism: boolean;
};

/** Undefined when the last task did not fail: a task that timed out says nothing. */
export async function readTaskFailure(
  client: Client,
  workflowId: string,
): Promise<WorkflowTaskFailure | undefined> {
  let looked = 0;
  for await (const event of lastEvents(client, { workflowId })) {
    looked += 1;
    if (event.workflowTaskCompletedEventAttributes || looked > mostEvents) return undefined;
    const { cause, failure } = event.workflowTaskFailedEventAttributes ?? {};
    if (!failure) continue;
    const error = await decodeOptionalFailureToOptionalError(
      client.options.loadedDataConverter,
      failure,
    );
    const message = error?.message ?? '';
    return {
      message,
      isNondeterminism: cause === nonDeterministic || /nondeterminis/i.test(message),
    };
  }
  return undefined;
}
