import { defined } from '../base';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { strFromU8, inflateSync } from 'fflate';
import {
  type HistoryEvent,
  historyEvents,
  type Longhaul,
  type Step,
  stepOf,
} from '../client/index';
import { longhaulSinks, prebuiltWorkflows } from '../worker/index';

/** The events of one execution of a run. */
export type RunHistory = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export type HistorySize = {
  /** The size on the server, in bytes. The server ends a run at 50 MB. */
  readonly bytes: number;
  readonly events: number;
  /** How often each type of activity was scheduled. */
  readonly activities: { readonly [type: string]: number };
};

/** Reads the history of a run's newest execution, or of the execution `runId`, in small pages. */
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
    runId = beginOf(history)?.previousRunId;
  } while (runId);
  return histories;
}

/** The size of a history, its number of events, and its activities by type. */
export function measureHistory(history: RunHistory): HistorySize {
  const events = history.events ?? [];
  const activities: Record<string, number> = {};
  for (const event of events) {
    const step = stepOf(event);
    if (step.kind === 'activity') activities[step.name] = (activities[step.name] ?? 0) + 1;
  }
  const bytes = events.reduce((sum, event) => sum + encodedSize(event), 0);
  return { bytes, events: events.length, activities };
}

/**
 * Throws if a history contains a secret, also in a packed part. The error names the event and the field. It cannot read what a codec
 * encrypted.
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
  /** The workflow id, if the history of an older server does not have it. The ids of children derive from it. */
  readonly workflowId?: string;
};

/**
 * Replays a history on the workflows of this version. Throws if the workflows would now do something else. Takes a history, or the JSON
 * that the CLI and the Web UI export.
 */
export async function replay(
  history: RunHistory | object,
  { workflowId, ...options }: ReplayOptions = {},
): Promise<void> {
  const begin = beginOf(history);
  // The SDK accepts anything and replays nothing.
  if (begin === undefined)
    throw new TypeError(
      'replay takes a whole history as {events}: the result of fetchHistory, or an export of the CLI or the Web UI',
    );
  const workflows = options.workflowBundle || options.workflowsPath ? {} : prebuiltWorkflows();
  const sinks = { ...longhaulSinks(), ...options.sinks };
  const id = workflowId ?? (begin.workflowId || undefined);
  await Worker.runReplayHistory({ ...workflows, ...options, sinks }, history, id);
}

/** The first step, in both forms of a history. */
function beginOf({ events }: { readonly events?: unknown }): Step<'begin'> | undefined {
  const [first] = Array.isArray(events) ? (events as HistoryEvent[]) : [];
  const step = first && stepOf(first);
  return step?.kind === 'begin' ? step : undefined;
}

/** The class of the SDK's protocol writes events as the server does. */
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

/** Bytes as text. Unpacks deflated bytes. */
function textsOf(bytes: Uint8Array): readonly string[] {
  const text = strFromU8(bytes);
  try {
    return [text, strFromU8(inflateSync(bytes))];
  } catch {
    return [text];
  }
}
