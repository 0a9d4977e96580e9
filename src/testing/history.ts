import { defined } from '../base/json';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { strFromU8, inflateSync } from 'fflate';
import type { Longhaul } from '../client';
import { historyEvents, type HistoryEvent } from '../client/history';
import { prebuiltWorkflows } from '../worker/bundle';

/** The events of one execution of a run. */
export type RunHistory = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export type HistorySize = {
  /** As the server keeps them; it ends a run at 50 MB. */
  readonly bytes: number;
  readonly events: number;
  /** How often each type of activity was scheduled. */
  readonly activities: { readonly [type: string]: number };
};

/** Reads the history of a run's newest execution, or of the one named, in small pages. */
export async function fetchHistory(
  { client }: Longhaul,
  workflowId: string,
  { runId }: { readonly runId?: string } = {},
): Promise<RunHistory> {
  const events: HistoryEvent[] = [];
  const execution = {
    workflowId,
    ...defined({ runId }),
  };
  for await (const event of historyEvents(client, execution)) events.push(event);
  return { events };
}

/** The histories of all executions of a run that continued as new, the oldest first. */
export async function fetchHistories(
  longhaul: Longhaul,
  workflowId: string,
): Promise<RunHistory[]> {
  const histories: RunHistory[] = [];
  let runId: string | undefined;
  do {
    const history = await fetchHistory(longhaul, workflowId, runId ? { runId } : {});
    histories.unshift(history);
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId = started?.continuedExecutionRunId ?? undefined;
  } while (runId);
  return histories;
}

/** What a history costs. */
export function measureHistory(history: RunHistory): HistorySize {
  const events = history.events ?? [];
  const activities: Record<string, number> = {};
  for (const event of events) {
    const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (type) activities[type] = (activities[type] ?? 0) + 1;
  }
  const bytes = events.reduce((sum, event) => sum + encodedSize(event), 0);
  return { bytes, events: events.length, activities };
}

/**
 * Throws when a secret stands anywhere in a history, in a packed part of it too, naming the event and the field. What a codec
 * encrypted cannot be looked into.
 */
export function assertNoSecret(history: RunHistory, ...secrets: readonly string[]): void {
  if (secrets.includes('')) throw new TypeError('assertNoSecret needs secrets that are not empty');
  for (const event of history.events ?? []) {
    for (const [index, secret] of secrets.entries()) {
      const place = findText(event, secret, []);
      if (place === undefined) continue;
      const where = `event ${String(event.eventId)}, ${place.join('.')}`;
      throw new Error(`secret ${index + 1} of ${secrets.length} is in the history: ${where}`);
    }
  }
}

export type ReplayOptions = Partial<ReplayWorkerOptions> & {
  /** Where the history does not say it, as that of an older server: the ids of children follow from it. */
  readonly workflowId?: string;
};

/**
 * Runs a history through the workflows of this version and throws when they would now do something else. Takes a history or the
 * JSON that the CLI and the Web UI export.
 */
export async function replay(
  history: RunHistory | object,
  { workflowId = workflowIdOf(history), ...options }: ReplayOptions = {},
): Promise<void> {
  checkStart(history);
  const workflows = options.workflowBundle || options.workflowsPath ? {} : prebuiltWorkflows();
  await Worker.runReplayHistory({ ...workflows, ...options }, history, workflowId);
}

/** The SDK neither replays anything else nor says so. */
function checkStart({ events }: { readonly events?: unknown }): void {
  const [first] = Array.isArray(events) ? (events as HistoryEvent[]) : [];
  if (first?.workflowExecutionStartedEventAttributes) return;
  throw new TypeError(
    'replay takes a whole history as {events}: the result of fetchHistory, or an export of the CLI or the Web UI',
  );
}

/** As the event of the start has it, in both forms of a history. */
function workflowIdOf({ events }: { readonly events?: unknown }): string | undefined {
  const [first] = Array.isArray(events) ? (events as HistoryEvent[]) : [];
  return first?.workflowExecutionStartedEventAttributes?.workflowId || undefined;
}

/** Events come as messages of the SDK's protocol, whose class writes them as the server does. */
function encodedSize(event: HistoryEvent): number {
  type Encoder = { encode?(message: unknown): { finish(): Uint8Array } };
  const bytes = (event.constructor as Encoder).encode?.(event).finish();
  if (bytes === undefined) throw new TypeError('measureHistory takes the result of fetchHistory');
  return bytes.length;
}

function findText(
  value: unknown,
  text: string,
  path: readonly string[],
): readonly string[] | undefined {
  if (typeof value === 'string') return value.includes(text) ? path : undefined;
  if (value instanceof Uint8Array)
    return textsOf(value).some((part) => part.includes(text)) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (key.includes(text)) return path;
    const found = findText(item, text, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Bytes as text, and unpacked where they are deflated. */
function textsOf(bytes: Uint8Array): readonly string[] {
  const text = strFromU8(bytes);
  try {
    return [text, strFromU8(inflateSync(bytes))];
  } catch {
    return [text];
  }
}
