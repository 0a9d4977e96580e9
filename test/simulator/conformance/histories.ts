// What histories say, as lines to compare: the type of each event, and what was decided in it. Times, ids and payloads stay out.

import type { temporal } from '@temporalio/proto';
import type { Longhaul } from 'longhaul/client';
import { limitOf } from '../time';
import type { Script } from './kit';

type Event = temporal.api.history.v1.IHistoryEvent;
type Failure = temporal.api.failure.v1.IFailure;
type Payload = temporal.api.common.v1.IPayload;

/** The events of each execution, by its place: `<workflow id> 1` is the first execution. */
export type Lines = Readonly<Record<string, readonly string[]>>;

export type Read = {
  readonly longhaul: Longhaul;
  readonly key: string;
  readonly roots: readonly string[];
  readonly compare: NonNullable<Script['compare']>;
};

export async function readHistories({ longhaul, key, roots, compare }: Read): Promise<Lines> {
  const lines: Record<string, readonly string[]> = {};
  const waiting = [...roots];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    for (const [index, events] of (await executionsOf(longhaul, id)).entries()) {
      const place = masked(`${id} ${index + 1}`, key);
      if (lines[place] !== undefined) continue;
      lines[place] = linesOf(events, compare).map((line) => masked(line, key));
      waiting.push(...events.flatMap(childOf));
    }
  }
  return lines;
}

/** What differs from run to run is masked: the script's key, hashes in the ids of child runs, and UUIDs. */
export function masked(text: string, key: string): string {
  return text
    .replaceAll(key, 'ID')
    .replaceAll(/~[0-9a-f]{8}/g, '~#')
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'UUID');
}

/** The executions of a workflow id that followed each other, the first one first. */
async function executionsOf(longhaul: Longhaul, workflowId: string): Promise<readonly Event[][]> {
  const executions: Event[][] = [];
  let runId: string | undefined = '';
  while (runId !== undefined) {
    const events: Event[] = await eventsOf(longhaul, workflowId, runId);
    executions.unshift(events);
    const started = events[0]?.workflowExecutionStartedEventAttributes;
    runId = baseOf(events) ?? (started?.continuedExecutionRunId || undefined);
  }
  return executions;
}

/** The execution from which a reset made this one. */
function baseOf(events: readonly Event[]): string | undefined {
  const failed = events.findLast(({ workflowTaskFailedEventAttributes: failed }) =>
    Boolean(failed?.baseRunId),
  );
  return failed?.workflowTaskFailedEventAttributes?.baseRunId ?? undefined;
}

async function eventsOf(longhaul: Longhaul, workflowId: string, runId: string): Promise<Event[]> {
  const { workflowService, options } = longhaul.client;
  const events: Event[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 200,
      ...(nextPageToken && { nextPageToken }),
    });
    events.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken?.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return events;
}

function childOf({ childWorkflowExecutionStartedEventAttributes: started }: Event): string[] {
  const workflowId = started?.workflowExecution?.workflowId;
  return workflowId ? [workflowId] : [];
}

/** Events of tasks that went well. Those that failed or were lost are always compared. */
const taskEvents: readonly string[] = [
  'workflowTaskScheduled',
  'workflowTaskStarted',
  'workflowTaskCompleted',
];

function linesOf(events: readonly Event[], compare: Read['compare']): readonly string[] {
  const lines = events.map((event) => ({ name: nameOf(event), line: lineOf(event) }));
  const isCompared = ({ name }: { name: string }): boolean =>
    compare === 'all' || !taskEvents.includes(name);
  const compared = lines.filter(isCompared).map(({ line }) => line);
  if (compare === 'ends') return compared.slice(-1);
  if (compare !== 'unordered') return compared;
  return compared.filter((line) => line !== overtaken).toSorted();
}

/** A task that wanted to end its execution while an event came (UNHANDLED_COMMAND). Where no order holds, a clock decides whether there is one. */
const overtaken = 'workflowTaskFailed cause 1';

const suffix = 'EventAttributes';

function nameOf(event: Event): string {
  const key = Object.keys(event).find((name) => name.endsWith(suffix)) ?? '';
  return key.slice(0, -suffix.length);
}

function lineOf(event: Event): string {
  const name = nameOf(event);
  const attributes = event[`${name}${suffix}` as keyof Event] as never;
  const detail = details[name]?.(attributes);
  return detail ? `${name} ${detail}` : name;
}

type Details = { readonly [name: string]: ((attributes: never) => string) | undefined };
type Of<Name extends string> = `${Name}${typeof suffix}` extends keyof Event
  ? NonNullable<Event[`${Name}${typeof suffix}`]>
  : never;

const details: Details = {
  workflowExecutionStarted: (it: Of<'workflowExecutionStarted'>) =>
    words(
      it.workflowType?.name,
      `attempt ${it.attempt}`,
      it.parentWorkflowExecution && `below ${it.parentWorkflowExecution.workflowId}`,
      it.rootWorkflowExecution && `root ${it.rootWorkflowExecution.workflowId}`,
      it.continuedExecutionRunId && `continues, initiator ${it.initiator}`,
      limit('run', it.workflowRunTimeout),
      // A run that goes on as new soon after its start is held back, for as long as that is ago.
      !it.continuedExecutionRunId && limit('delay', it.firstWorkflowTaskBackoff),
      names('memo', it.memo?.fields),
      names('attributes', it.searchAttributes?.indexedFields),
    ),
  workflowExecutionCompleted: (it: Of<'workflowExecutionCompleted'>) =>
    words(it.newExecutionRunId && 'goes on'),
  workflowExecutionFailed: (it: Of<'workflowExecutionFailed'>) =>
    words(failure(it.failure), `state ${it.retryState}`),
  workflowExecutionTerminated: (it: Of<'workflowExecutionTerminated'>) => it.reason ?? '',
  workflowExecutionContinuedAsNew: (it: Of<'workflowExecutionContinuedAsNew'>) =>
    words(it.workflowType?.name, `initiator ${it.initiator}`, names('memo', it.memo?.fields)),
  workflowExecutionSignaled: (it: Of<'workflowExecutionSignaled'>) =>
    words(it.signalName, from(it.externalWorkflowExecution)),
  workflowExecutionCancelRequested: (it: Of<'workflowExecutionCancelRequested'>) =>
    words(cancelCause(it), from(it.externalWorkflowExecution)),
  workflowExecutionUpdateAccepted: (it: Of<'workflowExecutionUpdateAccepted'>) =>
    it.acceptedRequest?.input?.name ?? '',
  workflowExecutionUpdateAdmitted: (it: Of<'workflowExecutionUpdateAdmitted'>) =>
    words(it.request?.input?.name, `origin ${it.origin}`),
  workflowExecutionUpdateCompleted: (it: Of<'workflowExecutionUpdateCompleted'>) =>
    it.outcome?.failure ? failure(it.outcome.failure) : 'well',
  workflowTaskFailed: (it: Of<'workflowTaskFailed'>) => words(`cause ${it.cause}`),
  workflowTaskTimedOut: (it: Of<'workflowTaskTimedOut'>) => words(`type ${it.timeoutType}`),
  activityTaskScheduled: (it: Of<'activityTaskScheduled'>) =>
    words(
      it.activityType?.name,
      limit('whole', it.scheduleToCloseTimeout),
      limit('start', it.scheduleToStartTimeout),
      limit('attempt', it.startToCloseTimeout),
      limit('beat', it.heartbeatTimeout),
      `most ${it.retryPolicy?.maximumAttempts}`,
    ),
  activityTaskStarted: (it: Of<'activityTaskStarted'>) =>
    words(attempt(it.attempt), it.lastFailure && `after ${failure(it.lastFailure)}`),
  activityTaskFailed: (it: Of<'activityTaskFailed'>) =>
    words(failure(it.failure), `state ${it.retryState}`),
  activityTaskTimedOut: (it: Of<'activityTaskTimedOut'>) =>
    words(failure(it.failure), `state ${it.retryState}`),
  timerStarted: (it: Of<'timerStarted'>) => words(`timer ${it.timerId}`),
  timerFired: (it: Of<'timerFired'>) => words(`timer ${it.timerId}`),
  timerCanceled: (it: Of<'timerCanceled'>) => words(`timer ${it.timerId}`),
  markerRecorded: (it: Of<'markerRecorded'>) =>
    words(it.markerName, patchOf(it.details?.['patch-data']?.payloads?.[0])),
  upsertWorkflowSearchAttributes: (it: Of<'upsertWorkflowSearchAttributes'>) =>
    names('sets', it.searchAttributes?.indexedFields),
  workflowPropertiesModified: (it: Of<'workflowPropertiesModified'>) =>
    names('sets', it.upsertedMemo?.fields),
  startChildWorkflowExecutionInitiated: (it: Of<'startChildWorkflowExecutionInitiated'>) =>
    words(
      it.workflowType?.name,
      it.workflowId,
      `policy ${it.parentClosePolicy}`,
      `reuse ${it.workflowIdReusePolicy}`,
      names('memo', it.memo?.fields),
    ),
  startChildWorkflowExecutionFailed: (it: Of<'startChildWorkflowExecutionFailed'>) =>
    words(it.workflowId, `cause ${it.cause}`),
  childWorkflowExecutionStarted: (it: Of<'childWorkflowExecutionStarted'>) =>
    words(it.workflowType?.name, it.workflowExecution?.workflowId),
  childWorkflowExecutionCompleted: (it: Of<'childWorkflowExecutionCompleted'>) =>
    words(it.workflowExecution?.workflowId),
  childWorkflowExecutionFailed: (it: Of<'childWorkflowExecutionFailed'>) =>
    words(it.workflowExecution?.workflowId, failure(it.failure), `state ${it.retryState}`),
  childWorkflowExecutionCanceled: (it: Of<'childWorkflowExecutionCanceled'>) =>
    words(it.workflowExecution?.workflowId),
  childWorkflowExecutionTerminated: (it: Of<'childWorkflowExecutionTerminated'>) =>
    words(it.workflowExecution?.workflowId),
  signalExternalWorkflowExecutionInitiated: (it: Of<'signalExternalWorkflowExecutionInitiated'>) =>
    words(it.signalName, it.workflowExecution?.workflowId, it.childWorkflowOnly && 'child'),
  signalExternalWorkflowExecutionFailed: (it: Of<'signalExternalWorkflowExecutionFailed'>) =>
    words(it.workflowExecution?.workflowId, `cause ${it.cause}`),
  externalWorkflowExecutionSignaled: (it: Of<'externalWorkflowExecutionSignaled'>) =>
    words(it.workflowExecution?.workflowId),
  requestCancelExternalWorkflowExecutionInitiated: (
    it: Of<'requestCancelExternalWorkflowExecutionInitiated'>,
  ) => words(it.workflowExecution?.workflowId, it.reason, it.childWorkflowOnly && 'child'),
  requestCancelExternalWorkflowExecutionFailed: (
    it: Of<'requestCancelExternalWorkflowExecutionFailed'>,
  ) => words(it.workflowExecution?.workflowId, `cause ${it.cause}`),
  externalWorkflowExecutionCancelRequested: (it: Of<'externalWorkflowExecutionCancelRequested'>) =>
    words(it.workflowExecution?.workflowId),
};

/** A caller cancels a run below twice in one task. Either may come first, and only one of them has Core's text as its cause. */
function cancelCause({
  cause,
  externalWorkflowExecution: caller,
}: Of<'workflowExecutionCancelRequested'>): string {
  const isOfCaller = caller && cause?.startsWith('Cancel requested by workflow with run id ');
  return isOfCaller ? '' : (cause ?? '');
}

function words(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

function names(what: string, fields: Readonly<Record<string, Payload>> | null | undefined): string {
  const sorted = Object.keys(fields ?? {}).toSorted();
  return sorted.length === 0 ? '' : `${what} ${sorted.join(' ')}`;
}

function limit(what: string, duration: Parameters<typeof limitOf>[0]): string {
  const ms = limitOf(duration);
  return ms === undefined ? '' : `${what} ${ms}`;
}

/** How many attempts fit into a time depends on the machine. */
function attempt(number: number | null | undefined): string {
  return Number(number) > 3 ? 'a late attempt' : `attempt ${number}`;
}

const from = (other: temporal.api.common.v1.IWorkflowExecution | null | undefined): string =>
  other ? `from ${other.workflowId}` : '';

function patchOf(payload: Payload | null | undefined): string {
  return Buffer.from(payload?.data ?? []).toString();
}

function failure(given: Failure | null | undefined): string {
  if (!given) return '';
  const { message, applicationFailureInfo: application, timeoutFailureInfo: timeout } = given;
  const kind = Object.keys(given).find((name) => name.endsWith('FailureInfo')) ?? '';
  const cause = given.cause ? `because of ${failure(given.cause)}` : '';
  const shown = words(
    message,
    kind.replace(/FailureInfo$/, ''),
    application?.type,
    application?.nonRetryable && 'final',
    timeout && `type ${timeout.timeoutType}`,
    given.activityFailureInfo && `state ${given.activityFailureInfo.retryState}`,
    given.childWorkflowExecutionFailureInfo &&
      `state ${given.childWorkflowExecutionFailureInfo.retryState}`,
    cause,
  );
  return `(${shown})`;
}
