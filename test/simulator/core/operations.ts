// What workflow code has asked of the server: one object for each activity, timer, child run, signal, cancellation, patch and update, from
// its command to the event that ends it. As the state machines of SDK Core 1.24 do it.
//
// 1. `sent` is called when the command goes into the answer to a workflow task, `record` with the command's own event, and `resolve` with
//    the events that come of it.
// 2. What an operation tells workflow code is a job. What it asks of the server beside its first command is another command.

import type { coresdk, temporal } from '@temporalio/proto';
import { coresdk as sdk } from '../internals';
import { isNamed, type SimEvent, type UserMetadata } from './events';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Commands = coresdk.workflow_commands.IWorkflowCommand;
type Failure = temporal.api.failure.v1.IFailure;

/** A command to the server. Its attributes are those that workflow code gave, or what Core itself makes. */
export type ServerCommand = CommandKind & { readonly userMetadata?: UserMetadata | null };

type CommandKind =
  | { readonly kind: 'scheduleActivity'; readonly attributes: Given<'scheduleActivity'> }
  | { readonly kind: 'cancelActivity'; readonly scheduledId: number }
  | { readonly kind: 'startTimer'; readonly attributes: Given<'startTimer'> }
  | { readonly kind: 'cancelTimer'; readonly timerId: string; readonly startedId: number }
  | { readonly kind: 'startChild'; readonly attributes: Given<'startChildWorkflowExecution'> }
  | { readonly kind: 'signal'; readonly attributes: Given<'signalExternalWorkflowExecution'> }
  | {
      readonly kind: 'cancelExternal';
      readonly workflowId: string;
      readonly runId: string;
      readonly isChild: boolean;
      readonly reason: string;
    }
  | { readonly kind: 'patch'; readonly id: string; readonly deprecated: boolean }
  | { readonly kind: 'upsertSearchAttributes'; readonly fields: Payloads }
  | { readonly kind: 'modifyProperties'; readonly fields: Payloads }
  | { readonly kind: 'complete'; readonly attributes: Given<'completeWorkflowExecution'> }
  | { readonly kind: 'fail'; readonly attributes: Given<'failWorkflowExecution'> }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'continueAsNew'; readonly attributes: Given<'continueAsNewWorkflowExecution'> }
  | { readonly kind: 'message'; readonly messageId: string };

export type Payloads = Readonly<Record<string, temporal.api.common.v1.IPayload>>;

export type Given<Name extends keyof Commands> = NonNullable<Commands[Name]>;

/** Where an operation puts what it has to say. */
export type Outlet = {
  readonly job: (job: Job) => void;
  /** A command in the name of this operation. */
  readonly command: (command: ServerCommand) => void;
};

export interface Operation {
  /** Which event its first command becomes. */
  readonly event: SimEvent['name'];
  readonly isOver: boolean;
  /** Its first command was taken back before the server got it. */
  readonly isDropped: boolean;
  sent?(): void;
  /** A command of it is in history. */
  record(event: SimEvent): void;
  resolve(event: SimEvent): void;
}

const seqOf = (attributes: { seq?: number | null }): number => attributes.seq ?? 0;

export class NonDeterminism extends Error {
  constructor(what: string) {
    super(`[TMPRL1100] Nondeterminism error: ${what}`);
  }
}

export class ActivityOperation implements Operation {
  readonly event = 'activityTaskScheduled';
  isOver = false;
  isDropped = false;
  readonly #given: Given<'scheduleActivity'>;
  readonly #out: Outlet;
  #scheduledId = 0;
  #isResolved = false;

  constructor(given: Given<'scheduleActivity'>, out: Outlet) {
    this.#given = given;
    this.#out = out;
  }

  cancel(): void {
    if (this.isOver || this.#isResolved) return;
    const type = this.#given.cancellationType ?? 0;
    const { ActivityCancellationType } = sdk.workflow_commands;
    if (this.#scheduledId === 0) {
      [this.isDropped, this.isOver] = [true, true];
      this.#cancelled();
    } else if (type === ActivityCancellationType.ABANDON) {
      this.isOver = true;
      this.#cancelled();
    } else {
      this.#out.command({ kind: 'cancelActivity', scheduledId: this.#scheduledId });
      if (type === ActivityCancellationType.TRY_CANCEL) this.#cancelled();
    }
  }

  record(event: SimEvent): void {
    if (!isNamed(event, 'activityTaskScheduled')) return;
    const { activityId, activityType } = event.attributes;
    if (activityId !== this.#given.activityId || activityType?.name !== this.#given.activityType)
      throw new NonDeterminism(
        `activity ${activityId} of type ${activityType?.name} was scheduled, not ${this.#given.activityId} of type ${this.#given.activityType}`,
      );
    this.#scheduledId = event.id;
  }

  resolve(event: SimEvent): void {
    if (isNamed(event, 'activityTaskStarted')) return;
    this.isOver = true;
    if (isNamed(event, 'activityTaskCompleted')) {
      const [result] = event.attributes.result?.payloads ?? [];
      this.#resolved({ completed: { ...(result && { result }) } });
    } else if (isNamed(event, 'activityTaskFailed')) {
      this.#failed('Activity task failed', event.attributes);
    } else if (isNamed(event, 'activityTaskTimedOut')) {
      this.#failed('Activity task timed out', event.attributes);
    } else if (isNamed(event, 'activityTaskCanceled')) {
      this.#cancelled(event.attributes);
    } else throw new NonDeterminism(`an activity does not take the event ${event.name}`);
  }

  #failed(
    message: string,
    { failure, ...ids }: temporal.api.history.v1.IActivityTaskFailedEventAttributes,
  ): void {
    this.#resolved({
      failed: { failure: { message, ...(failure && { cause: failure }), ...this.#info(ids) } },
    });
  }

  #cancelled(ids: temporal.api.history.v1.IActivityTaskCanceledEventAttributes = {}): void {
    const { details } = ids;
    const cause = { canceledFailureInfo: { ...(details && { details }) } };
    const failure: Failure = { message: 'Activity cancelled', cause, ...this.#info(ids) };
    this.#resolved({ cancelled: { failure } });
  }

  #info(ids: {
    identity?: string | null;
    startedEventId?: unknown;
    scheduledEventId?: unknown;
    retryState?: number | null;
  }): Pick<Failure, 'activityFailureInfo'> {
    return {
      activityFailureInfo: {
        activityType: { name: this.#given.activityType ?? '' },
        activityId: this.#given.activityId ?? '',
        identity: ids.identity ?? '',
        retryState: ids.retryState ?? 0,
      },
    };
  }

  #resolved(result: coresdk.activity_result.IActivityResolution): void {
    if (this.#isResolved) return;
    this.#isResolved = true;
    this.#out.job({ resolveActivity: { seq: seqOf(this.#given), result, isLocal: false } });
  }
}

export class TimerOperation implements Operation {
  readonly event = 'timerStarted';
  isOver = false;
  isDropped = false;
  readonly #given: Given<'startTimer'>;
  readonly #out: Outlet;
  #startedId = 0;
  #isCancelled = false;

  constructor(given: Given<'startTimer'>, out: Outlet) {
    this.#given = given;
    this.#out = out;
  }

  cancel(): void {
    if (this.isOver || this.#isCancelled) return;
    this.#isCancelled = true;
    if (this.#startedId === 0) [this.isDropped, this.isOver] = [true, true];
    else
      this.#out.command({
        kind: 'cancelTimer',
        timerId: String(seqOf(this.#given)),
        startedId: this.#startedId,
      });
  }

  record(event: SimEvent): void {
    if (isNamed(event, 'timerStarted')) this.#startedId = event.id;
    else if (isNamed(event, 'timerCanceled')) this.isOver = true;
  }

  resolve(event: SimEvent): void {
    if (!isNamed(event, 'timerFired'))
      throw new NonDeterminism(`a timer does not take the event ${event.name}`);
    const seq = seqOf(this.#given);
    if (event.attributes.timerId !== String(seq))
      throw new NonDeterminism(`timer ${event.attributes.timerId} fired, not ${seq}`);
    this.isOver = true;
    this.#out.job({ fireTimer: { seq } });
  }
}

export class ChildOperation implements Operation {
  readonly event = 'startChildWorkflowExecutionInitiated';
  isOver = false;
  isDropped = false;
  readonly #given: Given<'startChildWorkflowExecution'>;
  readonly #out: Outlet;
  #isInitiated = false;
  #isResolved = false;
  #runId = '';

  constructor(given: Given<'startChildWorkflowExecution'>, out: Outlet) {
    this.#given = given;
    this.#out = out;
  }

  cancel(reason: string): void {
    if (this.isOver || this.#isResolved) return;
    if (!this.#isInitiated) {
      [this.isDropped, this.isOver, this.#isResolved] = [true, true, true];
      const message = `Child Workflow Execution cancelled before scheduled: ${reason}`;
      const failure = { message, cause: { canceledFailureInfo: {} }, ...this.#info() };
      this.#out.job({
        resolveChildWorkflowExecutionStart: { seq: seqOf(this.#given), cancelled: { failure } },
      });
      return;
    }
    const { ChildWorkflowCancellationType } = sdk.child_workflow;
    const type = this.#given.cancellationType ?? 0;
    if (type !== ChildWorkflowCancellationType.ABANDON)
      this.#out.command({
        kind: 'cancelExternal',
        workflowId: this.#given.workflowId ?? '',
        runId: this.#runId,
        isChild: true,
        reason,
      });
    const { ABANDON, TRY_CANCEL } = ChildWorkflowCancellationType;
    if (type === ABANDON || type === TRY_CANCEL) this.#cancelled();
  }

  record(event: SimEvent): void {
    if (!isNamed(event, 'startChildWorkflowExecutionInitiated')) return;
    const { workflowId, workflowType } = event.attributes;
    if (workflowId !== this.#given.workflowId || workflowType?.name !== this.#given.workflowType)
      throw new NonDeterminism(
        `child ${workflowId} of type ${workflowType?.name} was started, not ${this.#given.workflowId} of type ${this.#given.workflowType}`,
      );
    this.#isInitiated = true;
  }

  resolve(event: SimEvent): void {
    if (isNamed(event, 'childWorkflowExecutionStarted')) return this.#started(event);
    this.isOver = true;
    if (isNamed(event, 'startChildWorkflowExecutionFailed')) {
      const { workflowId = '', workflowType = '' } = this.#given;
      const failed = { workflowId, workflowType, cause: event.attributes.cause ?? 0 };
      if (this.#isResolved) return;
      this.#isResolved = true;
      this.#out.job({
        resolveChildWorkflowExecutionStart: { seq: seqOf(this.#given), failed },
      });
    } else if (isNamed(event, 'childWorkflowExecutionCompleted')) {
      const [result] = event.attributes.result?.payloads ?? [];
      this.#resolved({ completed: { ...(result && { result }) } });
    } else if (isNamed(event, 'childWorkflowExecutionFailed')) {
      const { failure, retryState } = event.attributes;
      this.#failed('failed', failure ?? undefined, retryState ?? 0);
    } else if (isNamed(event, 'childWorkflowExecutionTimedOut')) {
      this.#failed('timed out', {
        message: 'Timed out',
        timeoutFailureInfo: { timeoutType: 1 },
      });
    } else if (isNamed(event, 'childWorkflowExecutionTerminated')) {
      this.#failed('terminated', { message: 'Terminated', terminatedFailureInfo: {} });
    } else if (isNamed(event, 'childWorkflowExecutionCanceled')) this.#cancelled();
    else throw new NonDeterminism(`a child does not take the event ${event.name}`);
  }

  #started({ attributes }: SimEvent<'childWorkflowExecutionStarted'>): void {
    this.#runId = attributes.workflowExecution?.runId ?? '';
    if (this.#isResolved) return;
    const succeeded = { runId: this.#runId };
    this.#out.job({
      resolveChildWorkflowExecutionStart: { seq: seqOf(this.#given), succeeded },
    });
  }

  #failed(how: string, cause: Failure | undefined, retryState = 0): void {
    const message = `Child Workflow execution ${how}`;
    const failure = { message, ...(cause && { cause }), ...this.#info(retryState) };
    this.#resolved({ failed: { failure } });
  }

  #cancelled(): void {
    const message = 'Child Workflow execution cancelled';
    const failure = { message, cause: { canceledFailureInfo: {} }, ...this.#info() };
    this.#resolved({ cancelled: { failure } });
  }

  #info(retryState = 0): Pick<Failure, 'childWorkflowExecutionFailureInfo'> {
    const { namespace, workflowId = '', workflowType } = this.#given;
    return {
      childWorkflowExecutionFailureInfo: {
        namespace: namespace ?? '',
        workflowType: { name: workflowType ?? '' },
        workflowExecution: { workflowId, runId: this.#runId },
        retryState,
      },
    };
  }

  #resolved(result: coresdk.child_workflow.IChildWorkflowResult): void {
    if (this.#isResolved) return;
    this.#isResolved = true;
    this.#out.job({ resolveChildWorkflowExecution: { seq: seqOf(this.#given), result } });
  }
}

export class SignalOperation implements Operation {
  readonly event = 'signalExternalWorkflowExecutionInitiated';
  isOver = false;
  isDropped = false;
  readonly #seq: number;
  readonly #out: Outlet;
  #isRecorded = false;

  constructor(seq: number, out: Outlet) {
    this.#seq = seq;
    this.#out = out;
  }

  cancel(): void {
    if (this.isOver || this.#isRecorded) return;
    [this.isDropped, this.isOver] = [true, true];
    const failure = { message: 'Signal was cancelled before being sent', canceledFailureInfo: {} };
    this.#out.job({ resolveSignalExternalWorkflow: { seq: this.#seq, failure } });
  }

  record(): void {
    this.#isRecorded = true;
  }

  resolve(event: SimEvent): void {
    this.isOver = true;
    if (isNamed(event, 'externalWorkflowExecutionSignaled')) {
      this.#out.job({ resolveSignalExternalWorkflow: { seq: this.#seq } });
    } else if (isNamed(event, 'signalExternalWorkflowExecutionFailed')) {
      const failure = {
        message: 'Unable to signal external workflow because it was not found',
        applicationFailureInfo: { type: 'ExternalWorkflowExecutionNotFound' },
      };
      this.#out.job({ resolveSignalExternalWorkflow: { seq: this.#seq, failure } });
    } else throw new NonDeterminism(`a signal does not take the event ${event.name}`);
  }
}

/** `seq`: undefined for one that Core makes to cancel a child. Workflow code hears nothing of that. */
export class CancelExternalOperation implements Operation {
  readonly event = 'requestCancelExternalWorkflowExecutionInitiated';
  isOver = false;
  readonly isDropped = false;
  readonly #seq: number | undefined;
  readonly #out: Outlet;

  constructor(seq: number | undefined, out: Outlet) {
    this.#seq = seq;
    this.#out = out;
  }

  record(): void {
    // The server answers it with another event.
  }

  resolve(event: SimEvent): void {
    this.isOver = true;
    const hasFailed = isNamed(event, 'requestCancelExternalWorkflowExecutionFailed');
    if (!hasFailed && !isNamed(event, 'externalWorkflowExecutionCancelRequested'))
      throw new NonDeterminism(`a cancellation does not take the event ${event.name}`);
    if (this.#seq === undefined) return;
    const failure = {
      message: 'Unable to cancel external workflow because not found',
      applicationFailureInfo: { type: 'ExternalWorkflowExecutionNotFound' },
    };
    this.#out.job({
      resolveRequestCancelExternalWorkflow: { seq: this.#seq, ...(hasFailed && { failure }) },
    });
  }
}

/** A command that only needs its event: markers, changes of the memo and of search attributes, and how the run ends. */
export class PlainOperation implements Operation {
  readonly event: SimEvent['name'];
  isOver = false;
  readonly isDropped = false;
  readonly patchId: string | undefined;

  constructor(event: SimEvent['name'], patchId?: string) {
    this.event = event;
    this.patchId = patchId;
  }

  record(): void {
    this.isOver = true;
  }

  resolve(event: SimEvent): void {
    throw new NonDeterminism(`nothing waits for the event ${event.name}`);
  }
}

/** A message from workflow code about an update, to the server. */
export type OutgoingMessage = {
  readonly id: string;
  readonly protocolInstanceId: string;
} & (
  | { readonly kind: 'accepted'; readonly request: UpdateRequest }
  | { readonly kind: 'rejected'; readonly request: UpdateRequest; readonly failure: Failure }
  | { readonly kind: 'completed'; readonly outcome: temporal.api.update.v1.IOutcome }
);

/** An update as it comes with a workflow task. `sequencingId`: after which event it is to run. */
export type UpdateRequest = {
  readonly id: string;
  readonly protocolInstanceId: string;
  readonly sequencingId: number;
  readonly request: temporal.api.update.v1.IRequest;
};

export class UpdateOperation {
  readonly #request: UpdateRequest;
  readonly #message: (message: OutgoingMessage) => void;
  readonly #command: (event: SimEvent['name'], messageId: string) => void;
  #isAccepted = false;

  constructor(
    request: UpdateRequest,
    message: (message: OutgoingMessage) => void,
    command: (event: SimEvent['name'], messageId: string) => void,
  ) {
    this.#request = request;
    this.#message = message;
    this.#command = command;
  }

  answer(response: Given<'updateResponse'>): void {
    const request = this.#request;
    const { id, protocolInstanceId } = request;
    const failure = response.rejected;
    if (response.accepted) {
      this.#isAccepted = true;
      this.#message({ id: `${id}/accept`, protocolInstanceId, kind: 'accepted', request });
      this.#command('workflowExecutionUpdateAccepted', `${id}/accept`);
    } else if (failure && !this.#isAccepted) {
      this.#message({ id: `${id}/reject`, protocolInstanceId, kind: 'rejected', request, failure });
    } else {
      const success = { payloads: response.completed ? [response.completed] : [] };
      const outcome = failure ? { failure } : { success };
      this.#message({ id: `${id}/complete`, protocolInstanceId, kind: 'completed', outcome });
      this.#command('workflowExecutionUpdateCompleted', `${id}/complete`);
    }
  }
}
