// What happened in a run, step by step. This room is the only one that looks at the attributes of an event, and this file does it.
//
// 1. Payloads and failures stay as they are stored: a reader decodes those that it needs.

import type { Client } from '@temporalio/client';
import { protoMs } from '../../base';
import { memoKey } from '../../protocol';
import {
  type ExecutionRef,
  type HistoryEvent,
  historyEvents,
  lastEvents,
  pageSize,
} from './events';
import type { Failure, Payload } from './payloads';

/** Events per page of a whole history. */
const largePage = 200;

type Begin = {
  readonly kind: 'begin';
  readonly type: string;
  readonly workflowId: string;
  /** After a reset, that of the execution that was reset. */
  readonly runId: string;
  readonly firstRunId: string;
  /** The execution that continued as this one. Empty if none did. */
  readonly previousRunId: string;
  readonly input: Payload;
  /** What the previous execution handed over. */
  readonly carried: Payload;
  readonly memo: Payload;
};

/** A call begins. `task`: the workflow task that decided it. */
type Called = { readonly name: string; readonly task: number; readonly input: Payload };

type ActivityCalled = Called & {
  readonly kind: 'activity';
  readonly activityId: string;
  readonly taskQueue: string | null | undefined;
  readonly summary: Payload;
};

type ChildCalled = Called & { readonly kind: 'child'; readonly workflowId: string };

/** The last start of an activity. `failure`: of the attempt before it. */
type Attempt = {
  readonly kind: 'attempt';
  readonly call: number;
  readonly attempt: number;
  readonly failure: Failure;
};

type End = {
  readonly kind: 'end';
  readonly of: 'activity' | 'child';
  readonly call: number;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'timed-out';
  readonly result: Payload;
  readonly failure: Failure;
};

type Message = {
  readonly kind: 'update' | 'signal';
  readonly name: string;
  readonly input: Payload;
};

type TimerEnd = { readonly kind: 'timer-end'; readonly timer: number };

/** A workflow task. `cause`: as in the server's API. */
type Task = { readonly kind: 'task' } & (
  | { readonly status: 'scheduled' | 'started' | 'completed' | 'timed-out' }
  | { readonly status: 'failed'; readonly cause: unknown; readonly failure: Failure }
);

/** The end of the run. `by`: who terminated it. */
type Close = { readonly kind: 'close' } & (
  | { readonly status: 'completed' | 'cancelled' | 'timed-out' }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'terminated'; readonly by: string; readonly reason: string }
);

type Fact =
  | Begin
  | ActivityCalled
  | ChildCalled
  | Attempt
  | End
  | Message
  /** `memo`: that of a run, if it changed. */
  | { readonly kind: 'memo'; readonly memo: Payload }
  | { readonly kind: 'timer'; readonly ms: number }
  | TimerEnd
  | Task
  | Close
  | { readonly kind: 'other' };

/** `id`: that of the event, and so of a call or timer that it begins. `at`: ISO 8601. */
export type Step<Kind extends Fact['kind'] = Fact['kind']> = Extract<
  Fact,
  { readonly kind: Kind }
> & { readonly id: number; readonly at: string };

type AttributesKey = Extract<keyof HistoryEvent, `${string}EventAttributes`>;

type Readers = {
  readonly [Key in AttributesKey]?: (
    attributes: NonNullable<HistoryEvent[Key]>,
    event: HistoryEvent,
  ) => Fact;
};

/** What each event means. Events that no reader needs are left out. */
const facts: Readers = {
  workflowExecutionStartedEventAttributes: (started) => ({
    kind: 'begin',
    type: started.workflowType?.name ?? '',
    workflowId: started.workflowId ?? '',
    runId: started.originalExecutionRunId ?? '',
    firstRunId: started.firstExecutionRunId ?? '',
    previousRunId: started.continuedExecutionRunId ?? '',
    input: started.input?.payloads?.[0],
    carried: started.input?.payloads?.[1],
    memo: started.memo?.fields?.[memoKey],
  }),
  workflowPropertiesModifiedEventAttributes: ({ upsertedMemo }) => ({
    kind: 'memo',
    memo: upsertedMemo?.fields?.[memoKey],
  }),
  activityTaskScheduledEventAttributes: (activity, { userMetadata }) => ({
    kind: 'activity',
    name: activity.activityType?.name ?? '',
    task: Number(activity.workflowTaskCompletedEventId),
    input: activity.input?.payloads?.[0],
    activityId: activity.activityId ?? '',
    taskQueue: activity.taskQueue?.name,
    summary: userMetadata?.summary,
  }),
  startChildWorkflowExecutionInitiatedEventAttributes: (child) => ({
    kind: 'child',
    name: child.workflowType?.name ?? '',
    task: Number(child.workflowTaskCompletedEventId),
    input: child.input?.payloads?.[0],
    workflowId: child.workflowId ?? '',
  }),
  activityTaskStartedEventAttributes: ({ scheduledEventId, attempt, lastFailure }) => ({
    kind: 'attempt',
    call: Number(scheduledEventId),
    attempt: attempt ?? 1,
    failure: lastFailure,
  }),
  activityTaskCompletedEventAttributes: ended('activity', 'completed'),
  activityTaskFailedEventAttributes: ended('activity', 'failed'),
  activityTaskTimedOutEventAttributes: ended('activity', 'timed-out'),
  activityTaskCanceledEventAttributes: ended('activity', 'cancelled'),
  childWorkflowExecutionCompletedEventAttributes: ended('child', 'completed'),
  childWorkflowExecutionFailedEventAttributes: ended('child', 'failed'),
  childWorkflowExecutionTerminatedEventAttributes: ended('child', 'failed'),
  childWorkflowExecutionTimedOutEventAttributes: ended('child', 'timed-out'),
  childWorkflowExecutionCanceledEventAttributes: ended('child', 'cancelled'),
  startChildWorkflowExecutionFailedEventAttributes: ended('child', 'failed'),
  workflowExecutionUpdateAcceptedEventAttributes: ({ acceptedRequest }) => ({
    kind: 'update',
    name: acceptedRequest?.input?.name ?? '',
    input: acceptedRequest?.input?.args?.payloads?.[0],
  }),
  workflowExecutionSignaledEventAttributes: ({ signalName, input }) => ({
    kind: 'signal',
    name: signalName ?? '',
    input: input?.payloads?.[0],
  }),
  timerStartedEventAttributes: ({ startToFireTimeout }) => ({
    kind: 'timer',
    ms: protoMs(startToFireTimeout),
  }),
  timerFiredEventAttributes: timerEnded,
  timerCanceledEventAttributes: timerEnded,
  workflowTaskScheduledEventAttributes: () => ({ kind: 'task', status: 'scheduled' }),
  workflowTaskStartedEventAttributes: () => ({ kind: 'task', status: 'started' }),
  workflowTaskCompletedEventAttributes: () => ({ kind: 'task', status: 'completed' }),
  workflowTaskTimedOutEventAttributes: () => ({ kind: 'task', status: 'timed-out' }),
  workflowTaskFailedEventAttributes: ({ cause, failure }) => ({
    kind: 'task',
    status: 'failed',
    cause,
    failure,
  }),
  workflowExecutionCompletedEventAttributes: () => ({ kind: 'close', status: 'completed' }),
  workflowExecutionCanceledEventAttributes: () => ({ kind: 'close', status: 'cancelled' }),
  workflowExecutionTimedOutEventAttributes: () => ({ kind: 'close', status: 'timed-out' }),
  workflowExecutionFailedEventAttributes: ({ failure }) => ({
    kind: 'close',
    status: 'failed',
    failure,
  }),
  workflowExecutionTerminatedEventAttributes: ({ identity, reason }) => ({
    kind: 'close',
    status: 'terminated',
    by: identity ?? '',
    reason: reason ?? '',
  }),
};

/** `scheduledEventId`: of an activity. `initiatedEventId`: of a child run. */
type EndAttributes = {
  readonly scheduledEventId?: unknown;
  readonly initiatedEventId?: unknown;
  readonly result?: { readonly payloads?: readonly Payload[] | null } | null;
  readonly failure?: Failure;
};

function ended(of: End['of'], status: End['status']): (attributes: EndAttributes) => End {
  return ({ scheduledEventId, initiatedEventId, result, failure }) => ({
    kind: 'end',
    of,
    call: Number(scheduledEventId ?? initiatedEventId),
    status,
    result: result?.payloads?.[0],
    failure,
  });
}

function timerEnded({ startedEventId }: { readonly startedEventId?: unknown }): TimerEnd {
  return { kind: 'timer-end', timer: Number(startedEventId) };
}

/** What the event says. */
export function stepOf(event: HistoryEvent): Step {
  const id = Number(event.eventId);
  const at = new Date(protoMs(event.eventTime)).toISOString();
  const keys = Object.keys(event) as AttributesKey[];
  const key = keys.find((name) => name in facts && event[name]);
  const read = key && (facts[key] as (attributes: unknown, event: HistoryEvent) => Fact);
  return { id, at, ...(read ? read(event[key], event) : { kind: 'other' }) };
}

/** The steps of an execution, the first one first. */
export async function* stepsOf(
  client: Client,
  execution: ExecutionRef,
  perPage?: number,
): AsyncGenerator<Step, void, void> {
  for await (const event of historyEvents(client, execution, perPage)) yield stepOf(event);
}

/** The last `most` steps of an execution, the last one first. */
export async function* lastStepsOf(
  client: Client,
  execution: ExecutionRef,
  most = 500,
): AsyncGenerator<Step, void, void> {
  let read = 0;
  for await (const event of lastEvents(client, execution, Math.min(most, pageSize))) {
    yield stepOf(event);
    read += 1;
    if (read === most) return;
  }
}

type PastExecution = {
  /** Empty for the newest execution. */
  readonly runId: string;
  readonly steps: readonly Step[];
};

/** The executions of a run, the newest first. The steps end where `mayRead` says no, and the executions, too. */
export async function* executionsOf(
  client: Client,
  workflowId: string,
  mayRead: () => boolean = () => true,
): AsyncGenerator<PastExecution, void, void> {
  let runId = '';
  do {
    const steps: Step[] = [];
    const execution = { workflowId, ...(runId !== '' && { runId }) };
    for await (const step of stepsOf(client, execution, largePage)) {
      if (!mayRead()) return yield { runId, steps };
      steps.push(step);
    }
    yield { runId, steps };
    const [begin] = steps;
    runId = begin?.kind === 'begin' ? begin.previousRunId : '';
  } while (runId !== '');
}

/** What became of a call. */
export type Outcome = { readonly attempt?: Step<'attempt'>; readonly end?: Step<'end'> };

/** By the id of the call. A call that no worker has taken has none. */
export function outcomesIn(steps: readonly Step[]): ReadonlyMap<number, Outcome> {
  const outcomes = new Map<number, Outcome>();
  for (const step of steps)
    if (step.kind === 'attempt' || step.kind === 'end')
      outcomes.set(step.call, { ...outcomes.get(step.call), [step.kind]: step });
  return outcomes;
}
