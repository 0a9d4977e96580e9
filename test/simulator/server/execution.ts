// One execution on the server: its history and all that is pending. It turns the commands of workflow tasks into events.
//
// 1. What happens while a worker has the workflow task waits, and enters when the task is over.
// 2. A run that wants to end while something waits does not end: the server refuses its commands, and the run gets another task.
// 3. Activities leave nothing in history until they end: then their beginning and their end enter together.

import type { temporal } from '@temporalio/proto';
import {
  type Attributes,
  type EventName,
  initialEventId,
  isNamed,
  type SimEvent,
  isOfOther,
  type UserMetadata,
} from '../core/events';
import type { OutgoingMessage, Payloads, ServerCommand, UpdateRequest } from '../core/operations';
import type { TaskAnswer } from '../core/core-run';
import { temporal as api } from '../internals';
import { limitOf, msOf } from '../time';
import type { Cancel, World } from '../world';
import { History } from './history';
import { limits, messages as limitMessages, sizeOfAnswer, tooManyPending } from './limits';
import { type ActivityEnd, activityTimes, PendingActivity, retryState } from './pending-activity';
import { Updates } from './updates';
import { PendingTask, type TaskKind } from './workflow-task';

type Started = Attributes<'workflowExecutionStarted'>;
type Failure = temporal.api.failure.v1.IFailure;

export type Status =
  'running' | 'completed' | 'failed' | 'canceled' | 'terminated' | 'continuedAsNew' | 'timedOut';

/** What an execution asks of the server, about others. */
export type Surroundings = {
  readonly world: World;
  readonly suggestsAt: { readonly events: number; readonly bytes: number };
  readonly onTask: (execution: Execution) => void;
  readonly onActivity: (execution: Execution, activity: PendingActivity) => void;
  readonly startChild: (execution: Execution, initiated: Initiated) => void;
  readonly signal: (execution: Execution, initiated: SimEvent<SignalInitiated>) => void;
  readonly cancelOther: (execution: Execution, initiated: SimEvent<CancelInitiated>) => void;
  readonly continueAsNew: (execution: Execution, event: SimEvent<ContinuedAsNew>) => void;
  readonly onClosed: (execution: Execution) => void;
};

export type Initiated = SimEvent<'startChildWorkflowExecutionInitiated'>;
type SignalInitiated = 'signalExternalWorkflowExecutionInitiated';
type CancelInitiated = 'requestCancelExternalWorkflowExecutionInitiated';
type ContinuedAsNew = 'workflowExecutionContinuedAsNew';

export type PendingChild = {
  readonly initiated: Initiated;
  runId?: string;
  startedId?: number;
};

export type Begun = {
  readonly events: readonly SimEvent[];
  readonly previousStartedId: number;
  readonly messages: readonly UpdateRequest[];
  readonly attempt: number;
  readonly token: string;
};

/** What the server did with the answer to a task. `forgotten`: the task was for updates alone, which were refused, and leaves nothing. */
export type Completion = 'taken' | 'forgotten' | 'refused' | 'late';

const { WorkflowTaskFailedCause: taskFailed } = api.api.enums.v1;
const taskTimeoutMs = 10_000;
/** From here on a task counts as failing. */
const failingAttempt = 3;

/** What SDK Core 1.24 does otherwise than before: all of it. */
const coreUsedFlags = [1, 2, 3];

export class Execution {
  readonly workflowId: string;
  readonly runId: string;
  readonly started: Started;
  readonly startedAt: number;
  readonly history: History;
  readonly activities = new Map<number, PendingActivity>();
  readonly children = new Map<number, PendingChild>();
  readonly updates = new Updates();
  readonly memo: Record<string, temporal.api.common.v1.IPayload>;
  readonly searchAttributes: Record<string, temporal.api.common.v1.IPayload>;
  task: PendingTask | undefined;
  previousStartedId = 0;
  status: Status = 'running';
  closedAt: number | undefined;
  isCancelRequested = false;
  /** Another execution goes on in its place, with its children. */
  wasReset = false;
  readonly #around: Surroundings;
  readonly #timers = new Map<string, { readonly startedId: number; readonly cancel: Cancel }>();
  #taskLimit: Cancel = () => undefined;
  /** While the commands of a task enter history, nothing else does. */
  #isTaking = false;
  #runLimit: Cancel = () => undefined;
  #delay: Cancel | undefined;
  /** Of a task that is to be tried again. */
  #nextAttempt = 1;

  /** Executions that a reset has begun need the events of the one before. */
  constructor(
    around: Surroundings,
    place: { readonly workflowId: string; readonly runId: string },
    start: Started | readonly SimEvent[],
    userMetadata?: UserMetadata | null,
  ) {
    this.#around = around;
    this.workflowId = place.workflowId;
    this.runId = place.runId;
    const now = (): number => around.world.now;
    this.startedAt = now();
    if (Array.isArray(start)) {
      const events = start as readonly SimEvent[];
      this.history = new History(now, events);
      this.started = (events[0] as SimEvent<'workflowExecutionStarted'>).attributes;
    } else {
      this.started = start as Started;
      this.history = new History(now);
      this.history.append('workflowExecutionStarted', this.started, undefined, userMetadata);
    }
    this.memo = { ...this.started.memo?.fields };
    this.searchAttributes = { ...this.started.searchAttributes?.indexedFields };
    const limit = limitOf(this.started.workflowRunTimeout);
    if (limit !== undefined) this.#runLimit = around.world.after(limit, () => this.#timeOut());
  }

  /** Its tasks fail again and again: the server asks no worker for anything else. */
  get isFailing(): boolean {
    return this.isOpen && (this.task?.attempt ?? this.#nextAttempt) >= failingAttempt;
  }

  /** Gives it its first task. */
  begin(): void {
    const delay = limitOf(this.started.firstWorkflowTaskBackoff);
    if (delay === undefined || this.history.events.length > 1) return this.needTask();
    this.#delay = this.#around.world.after(delay, () => this.#endDelay());
  }

  #endDelay(): void {
    this.#delay?.();
    this.#delay = undefined;
    this.needTask();
  }

  get taskQueue(): string {
    return this.started.taskQueue?.name ?? '';
  }

  get isOpen(): boolean {
    return this.status === 'running';
  }

  get signals(): number {
    return this.history.events.filter(({ name }) => name === 'workflowExecutionSignaled').length;
  }

  get suggestsContinueAsNew(): boolean {
    const { events, bytes } = this.#around.suggestsAt;
    return this.history.events.length > events || this.history.bytes > bytes;
  }

  /** After a reset: finds in the history what is pending. */
  restore(): void {
    const isCompleted = (event: SimEvent) => isNamed(event, 'workflowTaskCompleted');
    const completed = this.history.events.findLast(isCompleted)?.attributes;
    this.previousStartedId = Number((completed as { startedEventId?: Long })?.startedEventId ?? 0);
    for (const event of this.history.events) this.#restore(event);
  }

  #restore(event: SimEvent): void {
    if (isNamed(event, 'activityTaskScheduled')) {
      const { activityType, taskQueue, input, header, ...given } = event.attributes;
      this.#addActivity(event.id, {
        ...(given as object),
        activityType: activityType?.name ?? '',
        taskQueue: taskQueue?.name ?? '',
        arguments: input?.payloads ?? [],
        headers: header?.fields ?? {},
      });
    } else if (event.name.startsWith('activityTask')) {
      const id = initialEventId(event) ?? 0;
      const isEnd = !isNamed(event, 'activityTaskStarted', 'activityTaskCancelRequested');
      if (!isEnd) return;
      this.activities.get(id)?.drop();
      this.activities.delete(id);
    } else if (isNamed(event, 'timerStarted')) {
      const { timerId, startToFireTimeout } = event.attributes;
      this.#setTimer(
        event.id,
        timerId ?? '',
        msOf(startToFireTimeout) - (this.#around.world.now - event.at),
      );
    } else if (isNamed(event, 'timerFired', 'timerCanceled')) {
      this.#timers.get(event.attributes.timerId ?? '')?.cancel();
      this.#timers.delete(event.attributes.timerId ?? '');
    } else if (isNamed(event, 'startChildWorkflowExecutionInitiated')) {
      this.children.set(event.id, { initiated: event });
    } else if (isNamed(event, 'childWorkflowExecutionStarted')) {
      const child = this.children.get(initialEventId(event) ?? 0);
      if (child) child.runId = event.attributes.workflowExecution?.runId ?? '';
    } else if (event.name.startsWith('childWorkflowExecution')) {
      this.children.delete(initialEventId(event) ?? 0);
    } else if (isNamed(event, 'workflowPropertiesModified')) {
      apply(this.memo, event.attributes.upsertedMemo?.fields ?? {});
    } else if (isNamed(event, 'upsertWorkflowSearchAttributes')) {
      apply(this.searchAttributes, event.attributes.searchAttributes?.indexedFields ?? {});
    } else if (isNamed(event, 'workflowExecutionCancelRequested')) {
      this.isCancelRequested = true;
    } else if (isNamed(event, 'workflowExecutionUpdateAccepted')) {
      const request = event.attributes.acceptedRequest ?? {};
      const id = event.attributes.protocolInstanceId ?? '';
      this.updates.restore({
        id,
        request,
        stage: 'accepted',
        acceptedEventId: event.id,
        waiters: [],
      });
    } else if (isNamed(event, 'workflowExecutionUpdateCompleted')) {
      this.updates.complete(event.attributes.meta?.updateId ?? '', event.attributes.outcome ?? {});
    }
  }

  /** After a reset: asks others again what was asked of them, and is not answered. */
  askOthersAgain(): void {
    const asked = new Map<number, () => void>();
    for (const event of this.history.events) {
      if (isNamed(event, 'signalExternalWorkflowExecutionInitiated'))
        asked.set(event.id, () => this.#around.signal(this, event));
      else if (isNamed(event, 'requestCancelExternalWorkflowExecutionInitiated'))
        asked.set(event.id, () => this.#around.cancelOther(this, event));
      else if (isOfOther(event)) asked.delete(initialEventId(event) ?? 0);
    }
    for (const ask of asked.values()) ask();
  }

  /** After a reset: what became of a child that the run had begun before. */
  reapplyChild({ name, attributes }: SimEvent): void {
    const initiatedId = initialEventId({ name, attributes } as SimEvent) ?? 0;
    const child = this.children.get(initiatedId);
    if (child === undefined) return;
    if (name === 'childWorkflowExecutionStarted') {
      const started = this.history.append(name, attributes);
      const { workflowExecution } = attributes as Attributes<'childWorkflowExecutionStarted'>;
      child.runId = workflowExecution?.runId ?? '';
      child.startedId = started.id;
      return;
    }
    const { startedId } = child;
    const moved = startedId === undefined ? {} : { startedEventId: startedId as never };
    this.history.append(name, { ...attributes, ...moved });
    this.children.delete(initiatedId);
  }

  // What comes from outside.

  /** Adds an event that workflow code must learn of. */
  tell<Name extends EventName>(name: Name, attributes: Attributes<Name>): void {
    if (!this.isOpen || this.endIfTooLong() !== undefined) return;
    if (this.task?.isStarted === true || this.#isTaking) {
      this.history.wait(name, attributes);
      return;
    }
    this.history.append(name, attributes);
    this.needTask();
  }

  signal(attributes: Attributes<'workflowExecutionSignaled'>): void {
    this.tell('workflowExecutionSignaled', attributes);
  }

  requestCancel(attributes: Attributes<'workflowExecutionCancelRequested'>): void {
    if (this.isCancelRequested || !this.isOpen) return;
    this.isCancelRequested = true;
    this.tell('workflowExecutionCancelRequested', attributes);
  }

  terminate(reason: string, { byReset = false } = {}): void {
    if (!this.isOpen) return;
    this.wasReset = byReset;
    if (this.task?.isStarted === true)
      this.#failTask(taskFailed.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND);
    this.history.append('workflowExecutionTerminated', {
      reason,
      identity: 'simulator',
    });
    this.#close('terminated');
  }

  /** Ends the run if its history is too long for anything more. Returns why. */
  endIfTooLong(further = 0): string | undefined {
    const { bytes, events } = this.history;
    let reason: string | undefined;
    if (bytes > limits.historyBytes) reason = limitMessages.historyBytes;
    else if (events.length + further > limits.historyEvents) reason = limitMessages.historyEvents;
    if (reason !== undefined) this.terminate(reason);
    return reason;
  }

  #timeOut(): void {
    if (this.task?.isStarted === true) this.history.flush();
    this.history.append('workflowExecutionTimedOut', { retryState: retryState.policyNotSet });
    this.#close('timedOut');
  }

  /** An update waits: without any other task, it gets one of its own that leaves nothing if it refuses the update. */
  needTaskForUpdates(): void {
    this.#schedule('speculative');
  }

  /** The server was killed: updates that the run has not taken, and a task for them alone, are gone. */
  forget(): void {
    this.updates.forget();
    if (this.task?.kind !== 'speculative') return;
    this.#taskLimit();
    this.task = undefined;
    if (this.history.flush()) this.#schedule('normal');
  }

  needTask(): void {
    if (this.#delay !== undefined) return;
    if (this.task === undefined) this.#schedule('normal');
    else if (this.task.kind === 'speculative') this.task.makeNormal();
  }

  // Workflow tasks.

  #schedule(kind: TaskKind, attempt = 1): void {
    if (this.task !== undefined || !this.isOpen) return;
    const { world } = this.#around;
    const { taskQueue } = this;
    const options = { kind, attempt, now: world.now, token: world.chance.uuid(), taskQueue };
    this.#nextAttempt = 1;
    this.task = new PendingTask(this.history, options);
    this.#around.onTask(this);
  }

  /** A worker takes the task. It gets the whole history. */
  beginTask(worker: string): Begun {
    const { task } = this;
    if (task === undefined) throw new Error('there is no task to begin');
    const { world } = this.#around;
    const further = task.start(worker, world.now, this.suggestsContinueAsNew);
    this.#taskLimit = world.after(taskTimeoutMs, () => this.#timeOutTask(task));
    return {
      events: [...this.history.events, ...further],
      previousStartedId: this.previousStartedId,
      messages: this.updates.send(task.startedId - 1),
      attempt: task.attempt,
      token: task.token,
    };
  }

  completeTask(
    token: string,
    { commands, messages }: TaskAnswer,
    usedFlags: readonly number[],
  ): Completion {
    const { task } = this;
    if (task?.token !== token) return 'late';
    this.#taskLimit();
    const isNothing = commands.length === 0 && messages.every(({ kind }) => kind === 'rejected');
    if (task.kind === 'speculative' && isNothing && !this.history.hasWaiting) {
      this.task = undefined;
      this.#takeMessages(messages);
      this.#afterTask(false);
      return 'forgotten';
    }
    if (commands.some(isEnd) && (this.history.hasWaiting || this.updates.hasAdmitted)) {
      this.#failTask(taskFailed.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND, 'UnhandledCommand');
      return 'refused';
    }
    const pending = { activities: this.activities.size, children: this.children.size };
    const refused = tooManyPending(pending, commands);
    if (refused !== undefined) {
      this.failTask(token, refused.cause, refused.message);
      return 'refused';
    }
    if (sizeOfAnswer({ commands, messages }) + this.history.waitingBytes > limits.transaction) {
      this.terminate(limitMessages.transaction);
      return 'refused';
    }
    if (!commands.some(isEnd) && this.endIfTooLong(1 + commands.length) !== undefined)
      return 'refused';
    task.write();
    this.history.append('workflowTaskCompleted', {
      scheduledEventId: task.scheduledId as never,
      startedEventId: task.startedId as never,
      identity: task.worker ?? '',
      sdkMetadata: {
        langUsedFlags: [...usedFlags],
        // A worker notes those of Core with the first task of a run. The real Core needs them to replay it.
        ...(this.previousStartedId === 0 && { coreUsedFlags }),
      },
    });
    this.previousStartedId = task.startedId;
    this.task = undefined;
    const byId = new Map(messages.map((message) => [message.id, message]));
    const completedId = this.history.nextId - 1;
    this.#takeMessages(messages.filter(({ kind }) => kind === 'rejected'));
    this.#isTaking = true;
    for (const command of commands) this.#take(command, byId, completedId);
    this.#isTaking = false;
    // After its last event, nothing enters a history: not the end of an activity that its last task cancelled.
    if (this.isOpen) this.#afterTask(this.history.flush());
    return 'taken';
  }

  failTask(token: string, cause: number, message: string): boolean {
    const { task } = this;
    if (task?.token !== token) return false;
    this.#failTask(cause, message);
    return true;
  }

  #failTask(cause: number, message?: string): void {
    const { task } = this;
    if (task === undefined) return;
    this.#taskLimit();
    // Of the later attempts, the server writes only one that is completed.
    if (task.attempt === 1) {
      task.write();
      this.history.append('workflowTaskFailed', {
        scheduledEventId: task.scheduledId as never,
        startedEventId: task.startedId as never,
        cause,
        ...(message !== undefined && { failure: { message } }),
        identity: task.worker ?? '',
      });
    }
    this.#tryAgain(task);
  }

  #timeOutTask(task: PendingTask): void {
    if (this.task !== task) return;
    if (task.kind !== 'again') {
      task.write();
      this.history.append('workflowTaskTimedOut', {
        scheduledEventId: task.scheduledId as never,
        startedEventId: task.startedId as never,
        timeoutType: 1,
      });
    }
    this.#tryAgain(task);
  }

  #tryAgain(task: PendingTask): void {
    this.task = undefined;
    this.updates.unsend();
    if (this.history.flush()) return this.#schedule('normal');
    this.#nextAttempt = task.attempt + 1;
    if (task.attempt < 3) this.#schedule('again', task.attempt + 1);
    else
      this.#around.world.after(Math.min(10_000 * 2 ** (task.attempt - 3), 600_000), () =>
        this.#schedule('again', task.attempt + 1),
      );
  }

  #afterTask(hasMore: boolean): void {
    if (hasMore) this.#schedule('normal');
    else if (this.updates.hasAdmitted) this.#schedule('speculative');
  }

  #takeMessages(messages: readonly OutgoingMessage[]): void {
    for (const message of messages)
      if (message.kind === 'rejected')
        this.updates.reject(message.protocolInstanceId, message.failure);
  }

  // Commands.

  #take(
    command: ServerCommand,
    messages: ReadonlyMap<string, OutgoingMessage>,
    workflowTaskCompletedEventId: number,
  ): void {
    const ofTask = { workflowTaskCompletedEventId: workflowTaskCompletedEventId as never };
    switch (command.kind) {
      case 'scheduleActivity':
        return this.#scheduleActivity(command, ofTask);
      case 'cancelActivity':
        return this.#cancelActivity(command.scheduledId, ofTask);
      case 'startTimer':
        return this.#startTimer(command, ofTask);
      case 'cancelTimer':
        return this.#cancelTimer(command.timerId, ofTask);
      case 'startChild':
        return this.#startChild(command, ofTask);
      case 'signal': {
        const { workflowExecution, childWorkflowId, signalName, args, headers } =
          command.attributes;
        const event = this.history.append('signalExternalWorkflowExecutionInitiated', {
          ...ofTask,
          workflowExecution: childWorkflowId
            ? { workflowId: childWorkflowId, runId: '' }
            : {
                workflowId: workflowExecution?.workflowId ?? '',
                runId: workflowExecution?.runId ?? '',
              },
          signalName: signalName ?? '',
          ...(args && args.length > 0 && { input: { payloads: args } }),
          ...(headers && { header: { fields: headers } }),
          childWorkflowOnly: Boolean(childWorkflowId),
        });
        return this.#around.signal(this, event);
      }
      case 'cancelExternal': {
        const { workflowId, runId, isChild, reason } = command;
        const event = this.history.append('requestCancelExternalWorkflowExecutionInitiated', {
          ...ofTask,
          workflowExecution: { workflowId, runId },
          childWorkflowOnly: isChild,
          reason,
        });
        return this.#around.cancelOther(this, event);
      }
      case 'patch': {
        const data = Buffer.from(
          JSON.stringify({ id: command.id, deprecated: command.deprecated }),
        );
        const payload = { metadata: { encoding: Buffer.from('json/plain') }, data };
        const details = { 'patch-data': { payloads: [payload] } };
        this.history.append('markerRecorded', { ...ofTask, markerName: 'core_patch', details });
        return;
      }
      case 'upsertSearchAttributes':
        apply(this.searchAttributes, command.fields);
        this.history.append('upsertWorkflowSearchAttributes', {
          ...ofTask,
          searchAttributes: { indexedFields: command.fields },
        });
        return;
      case 'modifyProperties':
        apply(this.memo, command.fields);
        this.history.append('workflowPropertiesModified', {
          ...ofTask,
          upsertedMemo: { fields: command.fields },
        });
        return;
      case 'message':
        return this.#message(messages.get(command.messageId));
      default:
        return this.#end(command, ofTask);
    }
  }

  #message(message: OutgoingMessage | undefined): void {
    if (message === undefined) throw new Error('a command names no message');
    const { protocolInstanceId } = message;
    if (message.kind === 'accepted') {
      const { id, sequencingId, request } = message.request;
      const event = this.history.append('workflowExecutionUpdateAccepted', {
        protocolInstanceId,
        acceptedRequestMessageId: id,
        acceptedRequestSequencingEventId: sequencingId as never,
        acceptedRequest: request,
      });
      this.updates.accept(protocolInstanceId, event.id, request);
    } else if (message.kind === 'completed') {
      const update = this.updates.get(protocolInstanceId);
      this.history.append('workflowExecutionUpdateCompleted', {
        meta: update?.request.meta ?? { updateId: protocolInstanceId },
        acceptedEventId: (update?.acceptedEventId ?? 0) as never,
        outcome: message.outcome,
      });
      this.updates.complete(protocolInstanceId, message.outcome);
    }
  }

  #scheduleActivity(
    { attributes: given, userMetadata }: Extract<ServerCommand, { kind: 'scheduleActivity' }>,
    ofTask: { workflowTaskCompletedEventId: never },
  ): void {
    const { activityId, activityType, taskQueue, headers, retryPolicy } = given;
    const times = activityTimes(given, limitOf(this.started.workflowRunTimeout));
    const attributes = {
      ...ofTask,
      activityId: activityId ?? '',
      activityType: { name: activityType ?? '' },
      taskQueue: { name: taskQueue || this.taskQueue },
      header: { fields: headers ?? {} },
      input: { payloads: given.arguments ?? [] },
      ...times,
      ...(retryPolicy && { retryPolicy }),
    };
    const event = this.history.append('activityTaskScheduled', attributes, undefined, userMetadata);
    this.#addActivity(event.id, { ...given, ...times });
  }

  #addActivity(scheduledId: number, given: PendingActivity['given']): void {
    const activity = new PendingActivity({
      world: this.#around.world,
      scheduledId,
      given,
      onReady: (ready) => this.#around.onActivity(this, ready),
      onEnd: (ended, end) => this.#activityEnded(ended, end),
    });
    this.activities.set(scheduledId, activity);
  }

  #cancelActivity(scheduledId: number, ofTask: { workflowTaskCompletedEventId: never }): void {
    this.history.append('activityTaskCancelRequested', {
      ...ofTask,
      scheduledEventId: scheduledId as never,
    });
    const activity = this.activities.get(scheduledId);
    if (activity === undefined) return;
    activity.isCancelRequested = true;
    if (activity.startedAt === undefined) activity.cancel(undefined);
  }

  #activityEnded(activity: PendingActivity, end: ActivityEnd): void {
    const { scheduledId, attempt, startedAt, worker, lastFailure } = activity;
    this.activities.delete(scheduledId);
    if (!this.isOpen) return;
    const scheduledEventId = scheduledId as never;
    const identity = worker ?? activity.lastWorker ?? '';
    const wasStarted = startedAt !== undefined;
    if (wasStarted) {
      const attributes = {
        scheduledEventId,
        identity,
        requestId: `${scheduledId}/${attempt}`,
        attempt,
        ...(lastFailure && { lastFailure }),
      };
      const mustWait = this.task?.isStarted === true || this.#isTaking;
      if (mustWait) this.history.wait('activityTaskStarted', attributes);
      else this.history.append('activityTaskStarted', attributes, startedAt);
    }
    const ids = { scheduledEventId, identity };
    switch (end.kind) {
      case 'completed':
        this.tell('activityTaskCompleted', { ...ids, ...(end.result && { result: end.result }) });
        return;
      case 'failed':
        this.tell('activityTaskFailed', {
          ...ids,
          failure: end.failure,
          retryState: end.retryState,
        });
        return;
      case 'timedOut':
        this.tell('activityTaskTimedOut', {
          scheduledEventId,
          failure: end.failure,
          retryState: end.retryState,
        });
        return;
      case 'canceled':
        this.tell('activityTaskCanceled', { ...ids, ...(end.details && { details: end.details }) });
    }
  }

  #startTimer(
    { attributes, userMetadata }: Extract<ServerCommand, { kind: 'startTimer' }>,
    ofTask: { workflowTaskCompletedEventId: never },
  ): void {
    const { seq, startToFireTimeout } = attributes;
    const timerId = String(seq ?? 0);
    const given = { ...ofTask, timerId, startToFireTimeout: startToFireTimeout ?? {} };
    const event = this.history.append('timerStarted', given, undefined, userMetadata);
    this.#setTimer(event.id, timerId, msOf(startToFireTimeout));
  }

  #setTimer(startedId: number, timerId: string, ms: number): void {
    const fire = (): void => {
      this.#timers.delete(timerId);
      this.tell('timerFired', { timerId, startedEventId: startedId as never });
    };
    this.#timers.set(timerId, { startedId, cancel: this.#around.world.after(ms, fire) });
  }

  #cancelTimer(timerId: string, ofTask: { workflowTaskCompletedEventId: never }): void {
    const timer = this.#timers.get(timerId);
    timer?.cancel();
    this.#timers.delete(timerId);
    this.history.dropTimer(timerId);
    this.history.append('timerCanceled', {
      ...ofTask,
      timerId,
      startedEventId: (timer?.startedId ?? 0) as never,
    });
  }

  #startChild(
    { attributes: given, userMetadata }: Extract<ServerCommand, { kind: 'startChild' }>,
    ofTask: { workflowTaskCompletedEventId: never },
  ): void {
    const { workflowId, workflowType, taskQueue, input, headers, memo, searchAttributes } = given;
    const attributes = {
      ...ofTask,
      namespace: given.namespace ?? 'default',
      workflowId: workflowId ?? '',
      workflowType: { name: workflowType ?? '' },
      taskQueue: { name: taskQueue || this.taskQueue },
      ...(input && input.length > 0 && { input: { payloads: input } }),
      parentClosePolicy: given.parentClosePolicy ?? 1,
      workflowIdReusePolicy: given.workflowIdReusePolicy ?? 1,
      header: { fields: headers ?? {} },
      ...(memo && { memo: { fields: memo } }),
      ...(searchAttributes && { searchAttributes }),
      ...(given.workflowTaskTimeout && { workflowTaskTimeout: given.workflowTaskTimeout }),
    };
    const event = this.history.append(
      'startChildWorkflowExecutionInitiated',
      attributes,
      undefined,
      userMetadata,
    );
    this.children.set(event.id, { initiated: event });
    this.#around.startChild(this, event);
  }

  #end(command: ServerCommand, ofTask: { workflowTaskCompletedEventId: never }): void {
    switch (command.kind) {
      case 'complete': {
        const { result } = command.attributes;
        this.history.append('workflowExecutionCompleted', {
          ...ofTask,
          ...(result && { result: { payloads: [result] } }),
        });
        return this.#close('completed');
      }
      case 'fail': {
        const failure: Failure = command.attributes.failure ?? {};
        this.history.append('workflowExecutionFailed', { ...ofTask, failure, retryState: 5 });
        return this.#close('failed');
      }
      case 'cancel':
        this.history.append('workflowExecutionCanceled', { ...ofTask });
        return this.#close('canceled');
      case 'continueAsNew':
        return this.#continueAsNew(command.attributes, ofTask);
      default:
        throw new Error(`the server does not know the command ${command.kind}`);
    }
  }

  #continueAsNew(
    given: Extract<ServerCommand, { kind: 'continueAsNew' }>['attributes'],
    ofTask: { workflowTaskCompletedEventId: never },
  ): void {
    const { workflowType, taskQueue, memo, headers, searchAttributes } = given;
    const event = this.history.append('workflowExecutionContinuedAsNew', {
      ...ofTask,
      newExecutionRunId: this.#around.world.chance.uuid(),
      workflowType: { name: workflowType || (this.started.workflowType?.name ?? '') },
      taskQueue: { name: taskQueue || this.taskQueue },
      input: { payloads: given.arguments ?? [] },
      header: { fields: headers ?? {} },
      memo: {
        fields: memo && Object.keys(memo).length > 0 ? memo : (this.started.memo?.fields ?? {}),
      },
      ...(searchAttributes && { searchAttributes }),
    });
    this.#close('continuedAsNew');
    this.#around.continueAsNew(this, event);
  }

  #close(status: Status): void {
    this.status = status;
    this.closedAt = this.#around.world.now;
    this.#taskLimit();
    this.#runLimit();
    this.#delay?.();
    this.task = undefined;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const activity of this.activities.values()) activity.drop();
    this.updates.close();
    this.#around.onClosed(this);
  }
}

const ends: readonly ServerCommand['kind'][] = ['complete', 'fail', 'cancel', 'continueAsNew'];

const isEnd = ({ kind }: ServerCommand): boolean => ends.includes(kind);

/** A member that is null or empty goes. */
function apply(target: Record<string, temporal.api.common.v1.IPayload>, fields: Payloads): void {
  for (const [name, payload] of Object.entries(fields)) {
    const isGone =
      Buffer.from(payload.metadata?.['encoding'] ?? []).toString() === 'binary/null' ||
      Buffer.from(payload.data ?? []).toString() === 'null';
    if (isGone) delete target[name];
    else target[name] = payload;
  }
}
