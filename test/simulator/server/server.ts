// The server of a simulation: its executions, what they ask of each other, and the queues from which workers take tasks.
//
// 1. What one execution asks of another happens later, after a while that chance decides. So do tasks: each reaches a worker later.
// 2. A workflow id has one open execution.
// 3. A worker that kept a run gets its tasks for some seconds. Then any worker gets them, and reads the whole history.

import type { temporal } from '@temporalio/proto';
import Long from 'long';
import type { Attributes, SimEvent, UserMetadata } from '../core/events';
import { temporal as api } from '../internals';
import type { World } from '../world';
import { Execution, type Initiated, type Surroundings } from './execution';
import type { PendingActivity } from './pending-activity';

/** A worker as the server sees it. */
export type Poller = {
  readonly id: string;
  readonly taskQueue: string;
  /** False while it is frozen or gone. Tasks that it has then run out of time. */
  readonly isPolling: () => boolean;
  readonly workflowTask: (execution: Execution) => void;
  readonly activityTask: (execution: Execution, activity: PendingActivity) => void;
  readonly query: (execution: Execution, asked: Asked) => Promise<Payload | undefined>;
};

type Payload = temporal.api.common.v1.IPayload;

export type Asked = {
  readonly name: string;
  readonly args: readonly Payload[];
  readonly headers: Readonly<Record<string, Payload>>;
};

export type StartRequest = {
  readonly workflowId: string;
  readonly attributes: Attributes<'workflowExecutionStarted'>;
  readonly userMetadata?: UserMetadata | null | undefined;
  /** Whether an execution that is closed may be followed by another one. */
  readonly reuse: 'always' | 'after-failure' | 'never';
};

export class AlreadyStarted extends Error {
  readonly runId: string;

  constructor(runId: string) {
    super('Workflow execution is already running');
    this.runId = runId;
  }
}

const { WorkflowTaskFailedCause: taskFailed } = api.api.enums.v1;

/** Of workflow tasks, unless the start says otherwise. */
const taskTimeout = { seconds: Long.fromNumber(10), nanos: 0 };

/** Temporal's number for who continues a run as new. */
const byWorkflow = 1;

/** ms for which tasks of a run go to the worker that keeps it. */
const stickyMs = 2_000;

/** The most ms until something that one execution asks of another happens, and until a task reaches a worker. */
const slowest = { transfer: 50, task: 20 };

const failedStatuses: readonly string[] = ['failed', 'canceled', 'terminated', 'timedOut'];

export class SimServer {
  readonly world: World;
  readonly namespace = 'default';
  /** From here on it suggests to continue as new. */
  readonly suggestsAt = { events: 4_096, bytes: 4 * 1_024 * 1_024 };
  readonly #executions = new Map<string, Execution>();
  /** The newest execution of each workflow id. */
  readonly #newest = new Map<string, Execution>();
  readonly #pollers = new Map<string, Poller>();
  readonly #keepers = new Map<string, { readonly worker: string; until: number }>();
  readonly #closed = new Map<string, (() => void)[]>();
  readonly #whenUp: (() => void)[] = [];
  #isDown = false;
  /** What executions ask. */
  readonly #around: Surroundings;

  constructor(world: World) {
    this.world = world;
    this.#around = {
      world,
      suggestsAt: this.suggestsAt,
      onTask: (execution) => this.#offerTask(execution),
      onActivity: (execution, activity) => this.#offerActivity(execution, activity),
      startChild: (execution, initiated) =>
        this.#later(() => this.#startChild(execution, initiated)),
      signal: (execution, initiated) => this.#later(() => this.#signal(execution, initiated)),
      cancelOther: (execution, initiated) => this.#later(() => this.#cancel(execution, initiated)),
      continueAsNew: (execution, event) => this.#continueAsNew(execution, event),
      onClosed: (execution) => this.#onClosed(execution),
    };
  }

  get executions(): readonly Execution[] {
    return [...this.#executions.values()];
  }

  get pollers(): readonly Poller[] {
    return [...this.#pollers.values()];
  }

  /** The named execution, or the newest one of the workflow id. */
  find(workflowId: string, runId?: string | null): Execution | undefined {
    if (!runId) return this.#newest.get(workflowId);
    const execution = this.#executions.get(runId);
    return execution?.workflowId === workflowId ? execution : undefined;
  }

  // Whether it is there.

  get isDown(): boolean {
    return this.#isDown;
  }

  /** `forgets`: what is only in its memory is lost, such as updates that no run has taken. */
  goDown({ forgets }: { readonly forgets: boolean }): void {
    this.#isDown = true;
    if (forgets) for (const execution of this.executions) execution.forget();
  }

  comeUp(): void {
    this.#isDown = false;
    for (const resume of this.#whenUp.splice(0)) resume();
  }

  async up(): Promise<void> {
    while (this.#isDown) await new Promise<void>((resolve) => this.#whenUp.push(resolve));
  }

  // Workers.

  join(poller: Poller): void {
    this.#pollers.set(poller.id, poller);
    for (const execution of this.executions) {
      if (execution.task !== undefined && !execution.task.isStarted) this.#offerTask(execution);
      for (const activity of execution.activities.values())
        if (activity.startedAt === undefined) this.#offerActivity(execution, activity);
    }
  }

  leave(id: string): void {
    this.#pollers.delete(id);
    for (const [runId, { worker }] of this.#keepers) if (worker === id) this.#keepers.delete(runId);
  }

  /** The worker has the run in memory. */
  kept(runId: string, worker: string): void {
    this.#keepers.set(runId, { worker, until: Infinity });
  }

  dropped(runId: string): void {
    this.#keepers.delete(runId);
  }

  // Starts.

  start(
    { workflowId, attributes, userMetadata, reuse }: StartRequest,
    runId = this.world.chance.uuid(),
  ): Execution {
    const newest = this.#newest.get(workflowId);
    if (newest?.isOpen === true) throw new AlreadyStarted(newest.runId);
    const mayFollow =
      newest === undefined ||
      reuse === 'always' ||
      (reuse === 'after-failure' && failedStatuses.includes(newest.status));
    if (!mayFollow) throw new AlreadyStarted(newest.runId);
    const started = {
      ...attributes,
      workflowId,
      originalExecutionRunId: runId,
      firstExecutionRunId: attributes.firstExecutionRunId ?? runId,
      attempt: attributes.attempt ?? 1,
      workflowTaskTimeout: attributes.workflowTaskTimeout ?? taskTimeout,
    };
    const place = { workflowId, runId };
    return this.#enter(new Execution(this.#around, place, started, userMetadata));
  }

  #enter(execution: Execution): Execution {
    this.#executions.set(execution.runId, execution);
    this.#newest.set(execution.workflowId, execution);
    execution.begin();
    return execution;
  }

  /**
   * A new execution with the history up to before this event, which ends a workflow task. What came later is told again where it may be.
   * The execution may have continued as new: it is the newest one that ends.
   */
  reset(
    execution: Execution,
    finishId: number,
    reapply: { readonly signals: boolean; readonly updates: boolean; readonly reason: string },
  ): Execution {
    const runId = this.world.chance.uuid();
    // What waited for its workflow task enters its history, and is told again.
    const newest = this.#newest.get(execution.workflowId);
    if (newest?.isOpen === true) newest.terminate(reapply.reason, { byReset: true });
    const { events } = execution.history;
    const kept = events.filter(({ id }) => id < finishId);
    const later = events.filter(({ id }) => id >= finishId);
    const started = kept.findLast(({ name }) => name === 'workflowTaskStarted');
    const next = new Execution(this.#around, { workflowId: execution.workflowId, runId }, kept);
    next.history.append('workflowTaskFailed', {
      scheduledEventId: ((started?.id ?? 1) - 1) as never,
      startedEventId: (started?.id ?? 0) as never,
      cause: taskFailed.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
      baseRunId: execution.runId,
      newRunId: runId,
      failure: { message: 'reset' },
    });
    next.restore();
    for (const event of later) {
      if (isOfChild(event)) next.reapplyChild(event);
      if (event.name === 'workflowExecutionSignaled' && reapply.signals)
        next.history.append('workflowExecutionSignaled', event.attributes);
      if (event.name === 'workflowExecutionUpdateAccepted' && reapply.updates) {
        const { acceptedRequest } =
          event.attributes as Attributes<'workflowExecutionUpdateAccepted'>;
        next.history.append('workflowExecutionUpdateAdmitted', {
          request: acceptedRequest ?? {},
          origin: 1,
        });
      }
    }
    this.#enter(next);
    next.askOthersAgain();
    return next;
  }

  /** Ends it, and forgets it later. */
  delete(execution: Execution): void {
    if (execution.isOpen) execution.terminate('Delete workflow execution');
    const { workflowId, runId } = execution;
    this.#later(() => {
      this.#executions.delete(runId);
      if (this.#newest.get(workflowId) === execution) this.#newest.delete(workflowId);
    });
  }

  /** Resolves when the execution is closed. */
  whenClosed(execution: Execution, then: () => void): void {
    if (!execution.isOpen) then();
    else this.#closed.set(execution.runId, [...(this.#closed.get(execution.runId) ?? []), then]);
  }

  /** The worker that answers queries to a run: the one that keeps it, if it is there. */
  workerFor(execution: Execution): Poller | undefined {
    const all = this.#pollersOf(execution.taskQueue);
    const keeper = this.#keepers.get(execution.runId)?.worker;
    const kept = all.find(({ id }) => id === keeper);
    return kept ?? (all.length > 0 ? this.world.chance.one(all) : undefined);
  }

  #pollersOf(taskQueue: string): readonly Poller[] {
    if (this.#isDown) return [];
    return this.pollers.filter((one) => one.taskQueue === taskQueue && one.isPolling());
  }

  #later(run: () => void): void {
    this.world.after(this.world.chance.below(slowest.transfer), run);
  }

  #offerTask(execution: Execution): void {
    const { task } = execution;
    if (task === undefined) return;
    const offer = (): void => {
      if (execution.task !== task || task.isStarted) return;
      const keeper = this.#keepers.get(execution.runId);
      const kept = keeper === undefined ? undefined : this.#pollers.get(keeper.worker);
      const isLate = this.world.now - task.scheduledAt >= stickyMs;
      const all = this.#pollersOf(execution.taskQueue);
      if (kept?.isPolling() === true && !isLate) return kept.workflowTask(execution);
      if (kept !== undefined && !isLate)
        return void this.world.after(stickyMs - (this.world.now - task.scheduledAt), offer);
      if (all.length > 0) this.world.chance.one(all).workflowTask(execution);
      else this.world.after(500, offer);
    };
    this.world.after(this.world.chance.below(slowest.task), offer);
  }

  #offerActivity(execution: Execution, activity: PendingActivity): void {
    const { attempt } = activity;
    const taskQueue = activity.given.taskQueue || execution.taskQueue;
    const offer = (): void => {
      if (activity.isOver || activity.attempt !== attempt || activity.startedAt !== undefined)
        return;
      const all = this.#pollersOf(taskQueue);
      if (all.length > 0) this.world.chance.one(all).activityTask(execution, activity);
      else this.world.after(500, offer);
    };
    this.world.after(this.world.chance.below(slowest.task), offer);
  }

  #startChild(parent: Execution, initiated: Initiated): void {
    const child = parent.children.get(initiated.id);
    if (!parent.isOpen || child === undefined) return;
    const { attributes, userMetadata } = initiated;
    const workflowId = attributes.workflowId ?? '';
    const workflowType = attributes.workflowType ?? { name: '' };
    const ids = {
      initiatedEventId: initiated.id as never,
      namespace: this.namespace,
      workflowType,
    };
    const root = parent.started.rootWorkflowExecution ?? {
      workflowId: parent.workflowId,
      runId: parent.runId,
    };
    try {
      const started = this.start({
        workflowId,
        reuse: reuseOf(attributes.workflowIdReusePolicy),
        userMetadata,
        attributes: {
          workflowType,
          taskQueue: attributes.taskQueue ?? {},
          ...(attributes.input && { input: attributes.input }),
          ...(attributes.memo && { memo: attributes.memo }),
          ...(attributes.searchAttributes && { searchAttributes: attributes.searchAttributes }),
          ...(attributes.header && { header: attributes.header }),
          parentWorkflowNamespace: this.namespace,
          parentWorkflowExecution: { workflowId: parent.workflowId, runId: parent.runId },
          parentInitiatedEventId: initiated.id as never,
          rootWorkflowExecution: root,
        },
      });
      child.runId = started.runId;
      const workflowExecution = { workflowId, runId: started.runId };
      parent.tell('childWorkflowExecutionStarted', { ...ids, workflowExecution });
    } catch (error) {
      if (!(error instanceof AlreadyStarted)) throw error;
      parent.children.delete(initiated.id);
      parent.tell('startChildWorkflowExecutionFailed', { ...ids, workflowId, cause: 1 });
    }
  }

  #signal(
    from: Execution,
    { id, attributes }: SimEvent<'signalExternalWorkflowExecutionInitiated'>,
  ): void {
    if (!from.isOpen) return;
    const { workflowExecution, signalName, input, header } = attributes;
    const initiatedEventId = id as never;
    const target = this.find(workflowExecution?.workflowId ?? '', workflowExecution?.runId);
    const ids = {
      initiatedEventId,
      namespace: this.namespace,
      ...(workflowExecution && { workflowExecution }),
    };
    if (target?.isOpen !== true) {
      from.tell('signalExternalWorkflowExecutionFailed', { ...ids, cause: 1 });
      return;
    }
    target.signal({
      signalName: signalName ?? '',
      ...(input && { input }),
      ...(header && { header }),
      identity: 'history-service',
      externalWorkflowExecution: { workflowId: from.workflowId, runId: from.runId },
    });
    from.tell('externalWorkflowExecutionSignaled', ids);
  }

  #cancel(
    from: Execution,
    { id, attributes }: SimEvent<'requestCancelExternalWorkflowExecutionInitiated'>,
  ): void {
    if (!from.isOpen) return;
    const { workflowExecution, reason } = attributes;
    const target = this.find(workflowExecution?.workflowId ?? '', workflowExecution?.runId);
    const ids = {
      initiatedEventId: id as never,
      namespace: this.namespace,
      ...(workflowExecution && { workflowExecution }),
    };
    if (target === undefined) {
      from.tell('requestCancelExternalWorkflowExecutionFailed', { ...ids, cause: 1 });
      return;
    }
    target.requestCancel({
      cause: reason ?? '',
      externalInitiatedEventId: id as never,
      externalWorkflowExecution: { workflowId: from.workflowId, runId: from.runId },
      identity: 'history-service',
    });
    from.tell('externalWorkflowExecutionCancelRequested', ids);
  }

  #continueAsNew(
    execution: Execution,
    { attributes }: SimEvent<'workflowExecutionContinuedAsNew'>,
  ): void {
    const { started } = execution;
    // The changes that SDK Core notes by itself are those of one execution.
    const { TemporalChangeVersion: _, ...carried } = execution.searchAttributes;
    const runId = attributes.newExecutionRunId ?? '';
    this.start(
      {
        workflowId: execution.workflowId,
        reuse: 'always',
        attributes: {
          workflowType: attributes.workflowType ?? {},
          taskQueue: attributes.taskQueue ?? {},
          ...(attributes.input && { input: attributes.input }),
          ...(attributes.memo && { memo: attributes.memo }),
          ...(attributes.header && { header: attributes.header }),
          searchAttributes: attributes.searchAttributes ?? { indexedFields: carried },
          continuedExecutionRunId: execution.runId,
          initiator: byWorkflow,
          firstExecutionRunId: started.firstExecutionRunId ?? execution.runId,
          ...(started.parentWorkflowExecution && {
            parentWorkflowNamespace: this.namespace,
            parentWorkflowExecution: started.parentWorkflowExecution,
            parentInitiatedEventId: started.parentInitiatedEventId as never,
          }),
          ...(started.rootWorkflowExecution && {
            rootWorkflowExecution: started.rootWorkflowExecution,
          }),
        },
      },
      runId,
    );
  }

  #onClosed(execution: Execution): void {
    this.#keepers.delete(execution.runId);
    for (const then of this.#closed.get(execution.runId) ?? []) then();
    this.#closed.delete(execution.runId);
    if (execution.status === 'continuedAsNew' || execution.wasReset) return;
    this.#later(() => this.#tellParent(execution));
    for (const child of execution.children.values()) {
      const { parentClosePolicy, workflowId } = child.initiated.attributes;
      this.#later(() => {
        const open = this.find(workflowId ?? '');
        if (open?.isOpen !== true) return;
        if (Number(parentClosePolicy) === 1) open.terminate('by parent close policy');
        if (Number(parentClosePolicy) === 3)
          open.requestCancel({ cause: 'by parent close policy' });
      });
    }
  }

  #tellParent(execution: Execution): void {
    const { parentWorkflowExecution, parentInitiatedEventId, workflowType } = execution.started;
    if (!parentWorkflowExecution) return;
    const { workflowId: parentId, runId: parentRunId } = parentWorkflowExecution;
    const started = this.find(parentId ?? '', parentRunId);
    // A child that was there before the reset belongs to the run that goes on.
    const parent = started?.wasReset === true ? this.find(parentId ?? '') : started;
    const initiatedId = Number(parentInitiatedEventId);
    const known = parent?.children.get(initiatedId);
    // After a reset another child may have been begun at that place.
    const isIt = known?.initiated.attributes.workflowId === execution.workflowId;
    if (parent?.isOpen !== true || !isIt) return;
    parent.children.delete(initiatedId);
    const startedEventId = parent.history.events.findLast(
      ({ name, attributes }) =>
        name === 'childWorkflowExecutionStarted' &&
        Number((attributes as { initiatedEventId?: unknown }).initiatedEventId) === initiatedId,
    )?.id;
    const ids = {
      initiatedEventId: initiatedId as never,
      startedEventId: (startedEventId ?? 0) as never,
      namespace: this.namespace,
      workflowType: workflowType ?? {},
      workflowExecution: { workflowId: execution.workflowId, runId: execution.runId },
    };
    const last = execution.history.events.at(-1);
    const end = (last?.attributes ?? {}) as {
      result?: temporal.api.common.v1.IPayloads;
      failure?: temporal.api.failure.v1.IFailure;
    };
    switch (execution.status) {
      case 'completed':
        return parent.tell('childWorkflowExecutionCompleted', {
          ...ids,
          ...(end.result && { result: end.result }),
        });
      case 'failed':
        return parent.tell('childWorkflowExecutionFailed', {
          ...ids,
          failure: end.failure ?? {},
          retryState: 5,
        });
      case 'canceled':
        return parent.tell('childWorkflowExecutionCanceled', ids);
      case 'timedOut':
        return parent.tell('childWorkflowExecutionTimedOut', { ...ids, retryState: 5 });
      default:
        return parent.tell('childWorkflowExecutionTerminated', ids);
    }
  }
}

/** Of Temporal's number. */
export function reuseOf(policy: number | null | undefined): StartRequest['reuse'] {
  if (policy === 2) return 'after-failure';
  return policy === 3 ? 'never' : 'always';
}

/** What became of a child. */
function isOfChild({ name }: SimEvent): boolean {
  return name.startsWith('childWorkflowExecution') || name === 'startChildWorkflowExecutionFailed';
}
