// One run on one worker: turns histories into activations, and what workflow code answers into commands. It does what SDK Core 1.24 does in
// workflow_machines.rs and managed_run.rs, without pages of history and without local activities.
//
// 1. A worker that keeps the run gets only what is new of its history. A worker that does not gets all of it, and the run is replayed.
// 2. While it replays, each command must have its event: anything else is a `NonDeterminism`.
// 3. What history says that is no command of the run becomes a job for workflow code. Core sorts the jobs of one activation.

import type { coresdk, temporal } from '@temporalio/proto';
import {
  initialEventId,
  isCommandEvent,
  isFinalEvent,
  isNamed,
  patchOf,
  type SimEvent,
} from './events';
import { endOfNextTask } from './next-task';
import {
  ActivityOperation,
  CancelExternalOperation,
  ChildOperation,
  NonDeterminism,
  type Operation,
  type Outlet,
  type OutgoingMessage,
  PlainOperation,
  type ServerCommand,
  SignalOperation,
  TimerOperation,
  UpdateOperation,
  type UpdateRequest,
} from './operations';
import { timeOf } from '../time';
import { randomnessSeed } from './randomness-seed';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Activation = coresdk.workflow_activation.IWorkflowActivation;
type LangCommand = coresdk.workflow_commands.IWorkflowCommand;

/** A workflow task as a worker gets it. `previousStartedId`: of the last completed task; 0 for none. */
export type WorkflowTask = {
  readonly events: readonly SimEvent[];
  readonly previousStartedId: number;
  readonly messages: readonly UpdateRequest[];
};

export type TaskAnswer = {
  readonly commands: readonly ServerCommand[];
  readonly messages: readonly OutgoingMessage[];
};

type Queued = { readonly command: ServerCommand; readonly operation: Operation };

export class CoreRun {
  readonly #runId: string;
  /** What is left of the history that came with the last task. */
  #events: readonly SimEvent[] = [];
  #previousStartedId = 0;
  #messages: UpdateRequest[] = [];
  #jobs: Job[] = [];
  /** Commands that were made, in order. Each waits for its event. */
  #commands: Queued[] = [];
  #outbox: OutgoingMessage[] = [];
  readonly #byEvent = new Map<number, Operation>();
  readonly #bySeq = new Map<string, Operation>();
  readonly #updates = new Map<string, UpdateOperation>();
  /** Patches that history has markers of, and whether this run has made their commands. */
  readonly #patches = new Map<string, { hasCommand: boolean }>();
  readonly #searchAttributes: Record<string, temporal.api.common.v1.IPayload> = {};
  #isReplaying = false;
  #startedId = 0;
  #processedId = 0;
  #isOver = false;
  #time = 0;
  #historyBytes = 0;
  #isLong = false;
  #hasNewVersion = false;
  #flags: number[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The id of the event with which the last task began. */
  get startedId(): number {
    return this.#startedId;
  }

  get processedId(): number {
    return this.#processedId;
  }

  /** A task came from the server. */
  begin({ events, previousStartedId, messages }: WorkflowTask): void {
    this.#events = events;
    this.#messages = [...messages];
    this.#previousStartedId = previousStartedId;
    this.#isReplaying = previousStartedId > 0;
    this.#applyNextTask();
  }

  /** The next activation; undefined when the task can be answered. */
  activation(): Activation | undefined {
    while (this.#jobs.length === 0) {
      const consumed = this.#applyNextTask();
      if (consumed === 0 || !this.#isReplaying) break;
    }
    if (this.#jobs.length === 0) return undefined;
    const jobs = this.#jobs.toSorted((left, right) => rank(left) - rank(right));
    this.#jobs = [];
    return { ...this.#frame(this.#isReplaying), jobs };
  }

  /** An activation that only asks. It counts as a replay. */
  queryActivation(queries: readonly coresdk.workflow_activation.IQueryWorkflow[]): Activation {
    const jobs = queries.map((queryWorkflow) => ({ queryWorkflow }));
    return { ...this.#frame(true), jobs };
  }

  #frame(isReplaying: boolean): Activation {
    return {
      runId: this.#runId,
      timestamp: timeOf(this.#time),
      isReplaying,
      historyLength: this.#processedId,
      historySizeBytes: this.#historyBytes as never,
      continueAsNewSuggested: this.#isLong,
      targetWorkerDeploymentVersionChanged: this.#hasNewVersion,
      availableInternalFlags: this.#flags,
    };
  }

  /** What workflow code answered to an activation, without its answers to queries. Then ask for the next activation. */
  take(commands: readonly LangCommand[], usedFlags: readonly number[] = []): void {
    this.#flags = [...new Set([...this.#flags, ...usedFlags])];
    const isEnd = (command: LangCommand): boolean =>
      Boolean(
        command.completeWorkflowExecution ??
        command.failWorkflowExecution ??
        command.cancelWorkflowExecution ??
        command.continueAsNewWorkflowExecution,
      );
    const [end] = commands.filter(isEnd);
    const others = commands.filter((command) => !isEnd(command));
    for (const command of end === undefined ? others : [...others, end]) this.#command(command);
    this.#commands = this.#commands.filter(({ operation }) => !operation.isDropped);
    for (const { operation } of this.#commands) operation.sent?.();
  }

  /** Those that no event has come of yet. */
  get commands(): readonly ServerCommand[] {
    const waiting = this.#commands.filter(({ operation }) => !operation.isOver);
    return waiting.map(({ command }) => command);
  }

  /** What to tell the server when there is no activation any more. */
  answer(): TaskAnswer {
    const messages = this.#outbox;
    this.#outbox = [];
    return { commands: this.commands, messages };
  }

  /** The server dropped a task that it had not yet written, because every update in it was refused. */
  forgetSpeculativeTask(startedId: number): void {
    this.#startedId = startedId;
    this.#processedId -= 2;
  }

  /** Applies the events up to the next workflow task. Returns how many there were. */
  #applyNextTask(): number {
    if (this.#isOver) {
      this.#isReplaying = false;
      return 0;
    }
    const after = this.#startedId;
    const { events, isLast } = this.#takeNextTask(after);
    if (events.length === 0) this.#isReplaying = false;
    this.#applyFlags(events);
    const admitted = new Map<string, UpdateRequest>();
    let skipsNext = false;
    for (const [index, event] of events.entries()) {
      if (event.id !== this.#processedId + 1)
        throw new Error(`the history has event ${event.id} after ${this.#processedId}`);
      const isNew = event.id > this.#previousStartedId && !isNamed(event, 'workflowTaskCompleted');
      if (this.#isReplaying && isLast && isNew && !isCommandEvent(event)) this.#isReplaying = false;
      const request = admittedBy(event);
      if (request !== undefined) {
        if (this.#isReplaying) admitted.set(request.protocolInstanceId, request);
        else this.#messages.push(request);
      }
      this.#takeMessages(event.id - 1);
      if (request === undefined && !skipsNext) skipsNext = this.#handle(event, events[index + 1]);
      else skipsNext = false;
      this.#processedId = event.id;
    }
    this.#lookAhead(after, admitted);
    return events.length;
  }

  #takeNextTask(after: number): { events: readonly SimEvent[]; isLast: boolean } {
    const relevant = this.#events.filter(({ id }) => id > after);
    const { index, isComplete } = endOfNextTask(relevant, after);
    if (!isComplete && index === 0) return { events: [], isLast: true };
    const taken = relevant.slice(0, index + 1);
    this.#events = relevant.slice(index + 1);
    const events = taken.filter(({ id }) => id > this.#processedId);
    return { events, isLast: this.#events.length === 0 };
  }

  /** Flags of the SDK that a completed task has recorded count from the task before it on. */
  #applyFlags(events: readonly SimEvent[]): void {
    const last = events.at(-1);
    const next = this.#events.find((event) => isNamed(event, 'workflowTaskCompleted'));
    const completed = [...events, ...(last !== undefined && next !== undefined ? [next] : [])];
    for (const event of completed) {
      if (!isNamed(event, 'workflowTaskCompleted')) continue;
      const used = event.attributes.sdkMetadata?.langUsedFlags ?? [];
      this.#flags = [...new Set([...this.#flags, ...used])];
    }
  }

  #takeMessages(upTo: number): void {
    const due = this.#messages.filter(({ sequencingId }) => sequencingId <= upTo);
    this.#messages = this.#messages.filter(({ sequencingId }) => sequencingId > upTo);
    for (const request of due) this.#update(request);
  }

  #update(request: UpdateRequest): void {
    const { protocolInstanceId } = request;
    const { meta, input } = request.request;
    this.#updates.set(
      protocolInstanceId,
      new UpdateOperation(
        request,
        (message) => {
          if (!this.#isReplaying) this.#outbox.push(message);
        },
        (event, messageId) =>
          this.#commands.push({
            command: { kind: 'message', messageId },
            operation: new PlainOperation(event),
          }),
      ),
    );
    this.#jobs.push({
      doUpdate: {
        id: meta?.updateId ?? '',
        protocolInstanceId,
        name: input?.name ?? '',
        input: input?.args?.payloads ?? [],
        headers: input?.header?.fields ?? {},
        meta: meta ?? {},
        runValidator: !this.#isReplaying,
      },
    });
  }

  /** Patches and updates that the commands of this task became are known before workflow code runs. */
  #lookAhead(after: number, admitted: ReadonlyMap<string, UpdateRequest>): void {
    const relevant = this.#events.filter(({ id }) => id > after);
    if (relevant.length === 0) return;
    const { index } = endOfNextTask(relevant, after);
    for (const event of relevant.slice(0, index + 1)) {
      const patch = patchOf(event);
      if (patch !== undefined) {
        this.#patches.set(patch.id, { hasCommand: false });
        this.#jobs.push({ notifyHasPatch: { patchId: patch.id } });
      } else if (isNamed(event, 'workflowExecutionUpdateAccepted')) {
        const instance = event.attributes.protocolInstanceId ?? '';
        this.#update(admitted.get(instance) ?? acceptedRequest(event));
      }
    }
  }

  /** Returns whether the next event belongs to this one, and is to be left out. */
  #handle(event: SimEvent, next: SimEvent | undefined): boolean {
    if (isFinalEvent(event)) this.#isOver = true;
    if (isNamed(event, 'workflowExecutionTerminated', 'workflowExecutionTimedOut')) return false;
    if (isCommandEvent(event)) return this.#handleCommandEvent(event, next);
    if (isNamed(event, 'workflowTaskStarted')) this.#taskStarted(event);
    else if (isNamed(event, 'workflowTaskFailed')) this.#taskFailed(event);
    else if (isNamed(event, 'workflowExecutionStarted')) this.#started(event);
    else if (isNamed(event, 'workflowExecutionSignaled')) this.#signaled(event);
    else if (isNamed(event, 'workflowExecutionCancelRequested')) {
      this.#jobs.push({ cancelWorkflow: { reason: event.attributes.cause ?? '' } });
    } else if (!event.name.startsWith('workflowTask')) {
      const operation = this.#byEvent.get(initialEventId(event) ?? -1);
      if (operation === undefined)
        throw new NonDeterminism(`event ${event.id} ${event.name} answers no command of this run`);
      operation.resolve(event);
    }
    return false;
  }

  #handleCommandEvent(event: SimEvent, next: SimEvent | undefined): boolean {
    for (;;) {
      const first = this.#commands[0];
      const machine = first?.operation instanceof PlainOperation ? first.operation : undefined;
      const patch = patchOf(event);
      const isPatchCommand = machine?.patchId !== undefined;
      if (patch !== undefined) {
        const isOther = !isPatchCommand || machine?.patchId !== patch.id;
        if (patch.deprecated && isOther) return isChangeVersion(next);
        if (!isPatchCommand)
          throw new NonDeterminism(
            `the run has no patch ${patch.id} any more at event ${event.id}`,
          );
      } else if (isPatchCommand) {
        // It was made in a replay, and history does not have it.
        this.#commands.shift();
        continue;
      }
      this.#commands.shift();
      if (first === undefined)
        throw new NonDeterminism(`the run has no command for event ${event.id} ${event.name}`);
      if (first.operation.isDropped) continue;
      const expected = eventOf(first);
      if (expected !== event.name)
        throw new NonDeterminism(
          `event ${event.id} is ${event.name}, and the run's command becomes ${expected}`,
        );
      if (patch !== undefined && machine?.patchId !== patch.id)
        throw new NonDeterminism(
          `event ${event.id} is of patch ${patch.id}, not ${machine?.patchId}`,
        );
      first.operation.record(event);
      if (!first.operation.isOver) this.#byEvent.set(event.id, first.operation);
      return false;
    }
  }

  #taskStarted({ id, at, attributes }: SimEvent<'workflowTaskStarted'>): void {
    this.#historyBytes = Number(attributes.historySizeBytes ?? 0);
    this.#isLong = attributes.suggestContinueAsNew ?? false;
    this.#hasNewVersion = attributes.targetWorkerDeploymentVersionChanged ?? false;
    this.#startedId = id;
    this.#setTime(at);
  }

  #taskFailed({ attributes }: SimEvent<'workflowTaskFailed'>): void {
    if (attributes.newRunId)
      this.#jobs.push({
        updateRandomSeed: { randomnessSeed: randomnessSeed(attributes.newRunId) },
      });
  }

  #started({ at, attributes }: SimEvent<'workflowExecutionStarted'>): void {
    this.#setTime(at);
    const { originalExecutionRunId, input, workflowType, header, memo } = attributes;
    Object.assign(this.#searchAttributes, attributes.searchAttributes?.indexedFields);
    this.#jobs.push({
      initializeWorkflow: {
        workflowType: workflowType?.name ?? '',
        workflowId: attributes.workflowId ?? '',
        arguments: input?.payloads ?? [],
        randomnessSeed: randomnessSeed(originalExecutionRunId ?? ''),
        headers: header?.fields ?? {},
        identity: attributes.identity ?? '',
        continuedFromExecutionRunId: attributes.continuedExecutionRunId ?? '',
        firstExecutionRunId: attributes.firstExecutionRunId ?? '',
        attempt: attributes.attempt ?? 1,
        startTime: timeOf(at),
        ...(attributes.parentWorkflowExecution && {
          parentWorkflowInfo: {
            ...attributes.parentWorkflowExecution,
            namespace: attributes.parentWorkflowNamespace ?? '',
          },
        }),
        ...(attributes.rootWorkflowExecution && {
          rootWorkflow: attributes.rootWorkflowExecution,
        }),
        ...(memo && { memo }),
        ...(attributes.searchAttributes && { searchAttributes: attributes.searchAttributes }),
        ...(attributes.workflowTaskTimeout && {
          workflowTaskTimeout: attributes.workflowTaskTimeout,
        }),
      },
    });
  }

  #signaled({ attributes }: SimEvent<'workflowExecutionSignaled'>): void {
    const { signalName, input, identity, header } = attributes;
    this.#jobs.push({
      signalWorkflow: {
        signalName: signalName ?? '',
        input: input?.payloads ?? [],
        identity: identity ?? '',
        headers: header?.fields ?? {},
      },
    });
  }

  /** The time of a run never goes back. */
  #setTime(at: number): void {
    this.#time = Math.max(this.#time, at);
  }

  #command(command: LangCommand): void {
    if (command.updateResponse) {
      const instance = command.updateResponse.protocolInstanceId ?? '';
      const update = this.#updates.get(instance);
      if (update === undefined)
        throw new Error(`workflow code answers the unknown update ${instance}`);
      update.answer(command.updateResponse);
    } else if (command.cancelTimer) {
      this.#timer(command.cancelTimer.seq ?? 0)?.cancel();
    } else if (command.requestCancelActivity) {
      this.#activity(command.requestCancelActivity.seq ?? 0)?.cancel();
    } else if (command.cancelChildWorkflowExecution) {
      const { childWorkflowSeq, reason } = command.cancelChildWorkflowExecution;
      this.#child(childWorkflowSeq ?? 0)?.cancel(reason ?? '');
    } else if (command.cancelSignalWorkflow) {
      const operation = this.#bySeq.get(`signal ${command.cancelSignalWorkflow.seq ?? 0}`);
      if (operation instanceof SignalOperation) operation.cancel();
    } else if (command.setPatchMarker) this.#patch(command.setPatchMarker);
    else this.#start(command);
  }

  #start(command: LangCommand): void {
    const userMetadata = command.userMetadata ?? null;
    if (command.scheduleActivity) {
      const attributes = command.scheduleActivity;
      this.#operate(
        `activity ${attributes.seq}`,
        { kind: 'scheduleActivity', attributes, userMetadata },
        (out) => new ActivityOperation(attributes, out),
      );
    } else if (command.startTimer) {
      const attributes = command.startTimer;
      this.#operate(
        `timer ${attributes.seq}`,
        { kind: 'startTimer', attributes, userMetadata },
        (out) => new TimerOperation(attributes, out),
      );
    } else if (command.startChildWorkflowExecution) {
      const attributes = command.startChildWorkflowExecution;
      this.#operate(
        `child ${attributes.seq}`,
        { kind: 'startChild', attributes, userMetadata },
        (out) => new ChildOperation(attributes, out),
      );
    } else if (command.signalExternalWorkflowExecution) {
      const attributes = command.signalExternalWorkflowExecution;
      this.#operate(
        `signal ${attributes.seq}`,
        { kind: 'signal', attributes, userMetadata },
        (out) => new SignalOperation(attributes.seq ?? 0, out),
      );
    } else if (command.requestCancelExternalWorkflowExecution) {
      const { seq, workflowExecution, reason } = command.requestCancelExternalWorkflowExecution;
      this.#cancelExternal(seq ?? 0, {
        kind: 'cancelExternal',
        workflowId: workflowExecution?.workflowId ?? '',
        runId: workflowExecution?.runId ?? '',
        isChild: false,
        reason: `Cancel requested by workflow with run id ${this.#runId} with reason: ${reason ?? ''}`,
      });
    } else this.#change(command);
  }

  /** Commands that nobody waits for. */
  #change(command: LangCommand): void {
    if (command.upsertWorkflowSearchAttributes) {
      const fields = command.upsertWorkflowSearchAttributes.searchAttributes?.indexedFields ?? {};
      Object.assign(this.#searchAttributes, fields);
      this.#plain('upsertWorkflowSearchAttributes', { kind: 'upsertSearchAttributes', fields });
    } else if (command.modifyWorkflowProperties) {
      const fields = command.modifyWorkflowProperties.upsertedMemo?.fields ?? {};
      this.#plain('workflowPropertiesModified', { kind: 'modifyProperties', fields });
    } else if (command.completeWorkflowExecution) {
      const attributes = command.completeWorkflowExecution;
      this.#plain('workflowExecutionCompleted', { kind: 'complete', attributes });
    } else if (command.failWorkflowExecution) {
      const attributes = command.failWorkflowExecution;
      this.#plain('workflowExecutionFailed', { kind: 'fail', attributes });
    } else if (command.cancelWorkflowExecution) {
      this.#plain('workflowExecutionCanceled', { kind: 'cancel' });
    } else if (command.continueAsNewWorkflowExecution) {
      const attributes = {
        searchAttributes: { indexedFields: this.#searchAttributes },
        ...command.continueAsNewWorkflowExecution,
      };
      this.#plain('workflowExecutionContinuedAsNew', { kind: 'continueAsNew', attributes });
    } else
      throw new Error(`the simulator does not know the command ${Object.keys(command).join()}`);
  }

  #patch({ patchId, deprecated }: coresdk.workflow_commands.ISetPatchMarker): void {
    const id = patchId ?? '';
    const known = this.#patches.get(id);
    if (known?.hasCommand === true) return;
    const isInHistory = known !== undefined;
    this.#patches.set(id, { hasCommand: true });
    const command = { kind: 'patch', id, deprecated: deprecated ?? false } as const;
    this.#commands.push({ command, operation: new PlainOperation('markerRecorded', id) });
    // In a replay, a patch that history does not have made no search attribute either.
    if (this.#isReplaying && !isInHistory) return;
    const ids = [...this.#patches].filter(([, patch]) => patch.hasCommand).map(([name]) => name);
    const data = Buffer.from(JSON.stringify(ids.toSorted()));
    const metadata = { encoding: Buffer.from('json/plain'), type: Buffer.from('KeywordList') };
    const fields = { TemporalChangeVersion: { metadata, data } };
    this.#plain('upsertWorkflowSearchAttributes', { kind: 'upsertSearchAttributes', fields });
  }

  #plain(event: SimEvent['name'], command: ServerCommand): void {
    this.#commands.push({ command, operation: new PlainOperation(event) });
  }

  #operate(key: string, command: ServerCommand, make: (out: Outlet) => Operation): void {
    const operation: Operation = make({
      job: (job) => this.#jobs.push(job),
      command: (further) => {
        if (further.kind === 'cancelExternal') this.#cancelExternal(undefined, further);
        else this.#commands.push({ command: further, operation });
      },
    });
    this.#bySeq.set(key, operation);
    this.#commands.push({ command, operation });
  }

  #cancelExternal(seq: number | undefined, command: ServerCommand): void {
    const out = { job: (job: Job) => this.#jobs.push(job), command: () => undefined };
    this.#commands.push({ command, operation: new CancelExternalOperation(seq, out) });
  }

  #activity(seq: number): ActivityOperation | undefined {
    const operation = this.#bySeq.get(`activity ${seq}`);
    return operation instanceof ActivityOperation ? operation : undefined;
  }

  #timer(seq: number): TimerOperation | undefined {
    const operation = this.#bySeq.get(`timer ${seq}`);
    return operation instanceof TimerOperation ? operation : undefined;
  }

  #child(seq: number): ChildOperation | undefined {
    const operation = this.#bySeq.get(`child ${seq}`);
    return operation instanceof ChildOperation ? operation : undefined;
  }
}

/** Which event a command becomes: most operations have one, and a cancellation has another. */
function eventOf({ command, operation }: Queued): SimEvent['name'] {
  if (command.kind === 'cancelActivity') return 'activityTaskCancelRequested';
  if (command.kind === 'cancelTimer') return 'timerCanceled';
  return operation.event;
}

/** In which order Core gives the jobs of one activation. Jobs of one rank stay in the order of history. */
function rank(job: Job): number {
  if (job.initializeWorkflow) return 0;
  if (job.notifyHasPatch) return 1;
  if (job.updateRandomSeed) return 2;
  if (job.signalWorkflow ?? job.doUpdate) return 3;
  return 4;
}

function isChangeVersion(event: SimEvent | undefined): boolean {
  if (!isNamed(event, 'upsertWorkflowSearchAttributes')) return false;
  const fields = event.attributes.searchAttributes?.indexedFields ?? {};
  return 'TemporalChangeVersion' in fields;
}

function admittedBy(event: SimEvent): UpdateRequest | undefined {
  if (!isNamed(event, 'workflowExecutionUpdateAdmitted')) return undefined;
  const { request } = event.attributes;
  const id = request?.meta?.updateId ?? '';
  return {
    id: `${id}/request`,
    protocolInstanceId: id,
    sequencingId: event.id - 1,
    request: request ?? {},
  };
}

function acceptedRequest({
  attributes,
}: SimEvent<'workflowExecutionUpdateAccepted'>): UpdateRequest {
  return {
    id: attributes.acceptedRequestMessageId ?? '',
    protocolInstanceId: attributes.protocolInstanceId ?? '',
    sequencingId: Number(attributes.acceptedRequestSequencingEventId ?? 0),
    request: attributes.acceptedRequest ?? {},
  };
}
