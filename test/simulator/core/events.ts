// History events as the simulator holds them: the members of Temporal's API, with plain numbers.

import type { temporal } from '@temporalio/proto';

type Api = temporal.api.history.v1.IHistoryEvent;

/** Which member of an event has its attributes. */
export type AttributesKey = Exclude<Extract<keyof Api, `${string}EventAttributes`>, never>;

export type EventName = AttributesKey extends `${infer Name}EventAttributes` ? Name : never;

export type Attributes<Name extends EventName> = NonNullable<Api[`${Name}EventAttributes`]>;

/** `at`: ms since 1970. */
export type SimEvent<Name extends EventName = EventName> = {
  readonly id: number;
  readonly at: number;
  readonly name: Name;
  readonly attributes: Attributes<Name>;
  /** Names for people. */
  readonly userMetadata?: UserMetadata;
};

export type UserMetadata = temporal.api.sdk.v1.IUserMetadata;

export function isNamed<Name extends EventName>(
  event: SimEvent | undefined,
  ...names: readonly Name[]
): event is SimEvent<Name> {
  return event !== undefined && (names as readonly EventName[]).includes(event.name);
}

/** Events that the commands of a workflow task become, in the order of the commands. */
const commandEvents: ReadonlySet<EventName> = new Set<EventName>([
  'activityTaskScheduled',
  'activityTaskCancelRequested',
  'markerRecorded',
  'requestCancelExternalWorkflowExecutionInitiated',
  'signalExternalWorkflowExecutionInitiated',
  'startChildWorkflowExecutionInitiated',
  'timerCanceled',
  'timerStarted',
  'upsertWorkflowSearchAttributes',
  'workflowPropertiesModified',
  'workflowExecutionCanceled',
  'workflowExecutionCompleted',
  'workflowExecutionContinuedAsNew',
  'workflowExecutionFailed',
  'workflowExecutionUpdateAccepted',
  'workflowExecutionUpdateRejected',
  'workflowExecutionUpdateCompleted',
]);

const finalEvents: ReadonlySet<EventName> = new Set<EventName>([
  'workflowExecutionCanceled',
  'workflowExecutionCompleted',
  'workflowExecutionContinuedAsNew',
  'workflowExecutionFailed',
  'workflowExecutionTerminated',
  'workflowExecutionTimedOut',
]);

export const isCommandEvent = ({ name }: SimEvent): boolean => commandEvents.has(name);

export const isFinalEvent = ({ name }: SimEvent): boolean => finalEvents.has(name);

/** The event of the command that this event answers. */
export function initialEventId({ name, attributes }: SimEvent): number | undefined {
  const all = attributes as Record<string, unknown>;
  const from = (member: string): number | undefined =>
    all[member] === undefined || all[member] === null ? undefined : Number(all[member]);
  if (name.startsWith('activityTask')) return from('scheduledEventId');
  if (name.startsWith('timer')) return from('startedEventId');
  if (name.startsWith('workflowTask')) return from('scheduledEventId');
  if (name === 'workflowExecutionUpdateCompleted') return from('acceptedEventId');
  return from('initiatedEventId');
}

/** Another execution has answered, or there is none. */
export const isOfOther = (event: SimEvent): boolean =>
  isNamed(
    event,
    'externalWorkflowExecutionSignaled',
    'signalExternalWorkflowExecutionFailed',
    'externalWorkflowExecutionCancelRequested',
    'requestCancelExternalWorkflowExecutionFailed',
  );

/** The id of a patch, if the event is its marker. */
export function patchOf(event: SimEvent): { id: string; deprecated: boolean } | undefined {
  if (!isNamed(event, 'markerRecorded') || event.attributes.markerName !== 'core_patch')
    return undefined;
  const data = event.attributes.details?.['patch-data']?.payloads?.[0]?.data;
  return data
    ? (JSON.parse(Buffer.from(data).toString()) as ReturnType<typeof patchOf>)
    : undefined;
}
