// The server's API as the SDK's client calls it: a connection that reaches the simulated server, in memory.
//
// 1. A call takes a while each way. A call that the server cannot take now is made again, as gRPC clients do; the server takes it once.
// 2. Errors have the codes and the words of the real server, because clients read them.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectionLike } from '@temporalio/client';
import { Metadata, status as code } from '@grpc/grpc-js';
import type { temporal } from '@temporalio/proto';
import Long from 'long';
import type { EventName, SimEvent } from '../core/events';
import { temporal as api } from '../internals';
import { readTaskToken } from '../task-token';
import type { Execution, Status } from './execution';
import { limits, messages, sizeOfMemo, sizeOfPayloads } from './limits';
import { AlreadyStarted, reuseOf, type SimServer } from './server';
import { type Update, UpdateLimit } from './updates';
import { limitOf, timeOf } from '../time';

type Requests = {
  StartWorkflowExecution: temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest;
  UpdateWorkflowExecution: temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest;
  PollWorkflowExecutionUpdate: temporal.api.workflowservice.v1.IPollWorkflowExecutionUpdateRequest;
  SignalWorkflowExecution: temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest;
  SignalWithStartWorkflowExecution: temporal.api.workflowservice.v1.ISignalWithStartWorkflowExecutionRequest;
  ExecuteMultiOperation: temporal.api.workflowservice.v1.IExecuteMultiOperationRequest;
  RecordActivityTaskHeartbeat: temporal.api.workflowservice.v1.IRecordActivityTaskHeartbeatRequest;
  QueryWorkflow: temporal.api.workflowservice.v1.IQueryWorkflowRequest;
  DescribeWorkflowExecution: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionRequest;
  GetWorkflowExecutionHistory: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest;
  GetWorkflowExecutionHistoryReverse: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseRequest;
  TerminateWorkflowExecution: temporal.api.workflowservice.v1.ITerminateWorkflowExecutionRequest;
  RequestCancelWorkflowExecution: temporal.api.workflowservice.v1.IRequestCancelWorkflowExecutionRequest;
  DeleteWorkflowExecution: temporal.api.workflowservice.v1.IDeleteWorkflowExecutionRequest;
  ResetWorkflowExecution: temporal.api.workflowservice.v1.IResetWorkflowExecutionRequest;
  ListWorkflowExecutions: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest;
  DescribeTaskQueue: temporal.api.workflowservice.v1.IDescribeTaskQueueRequest;
};
type Request<Name extends keyof Requests> = Requests[Name];

/** Temporal's numbers. */
const statuses: Readonly<Record<Status, number>> = {
  running: 1,
  completed: 2,
  failed: 3,
  canceled: 4,
  terminated: 5,
  continuedAsNew: 6,
  timedOut: 7,
};
const stages = { admitted: 1, accepted: 2, completed: 3 } as const;
const closeEventsOnly = 2;

/** The search attributes with which Longhaul starts a dev server: two of type Keyword, and a list of keywords. */
const registered = { LonghaulAgent: 2, LonghaulStatus: 2, LonghaulKey: 7 };

/** ms. A poll that finds nothing ends after so long, and a query that no worker takes fails. */
const longPollMs = 20_000;
const queryMs = 10_000;
const slowestWayMs = 5;
const pageEvents = 1_000;

export class GrpcError extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(status: number, details: string) {
    super(`${status} ${code[status]}: ${details}`);
    this.code = status;
    this.details = details;
  }
}

type Ref = temporal.api.common.v1.IWorkflowExecution | null | undefined;

type Limits = { readonly deadline?: number; readonly signal?: AbortSignal };

type Handlers = { readonly [name: string]: (request: never) => unknown };

export class SimService {
  readonly #server: SimServer;
  readonly #limits = new AsyncLocalStorage<Limits>();
  /** What requests with an id were answered. */
  readonly #answered = new Map<string, unknown>();

  constructor(server: SimServer) {
    this.#server = server;
  }

  /** `awake` resolves when the process of the client is not frozen, and never when it is gone. */
  connect(awake = async (): Promise<void> => undefined): ConnectionLike {
    const through = async <Result>(_: unknown, call: () => Promise<Result>): Promise<Result> =>
      await call();
    /** Each call of the server within it has these limits, as with the real connection. Other work within it goes on. */
    const within = async <Result>(own: Limits, call: () => Promise<Result>): Promise<Result> =>
      await this.#limits.run({ ...this.#limits.getStore(), ...own }, call);
    return {
      plugins: [],
      options: { address: 'simulated' },
      workflowService: this.#callers(this.#workflowService(), awake),
      operatorService: this.#callers(this.#operatorService(), awake),
      close: async () => undefined,
      ensureConnected: async () => undefined,
      withDeadline: async <Result>(deadline: number | Date, call: () => Promise<Result>) =>
        await within({ deadline: Number(deadline) }, call),
      withMetadata: through,
      withAbortSignal: async <Result>(signal: AbortSignal, call: () => Promise<Result>) =>
        await within({ signal }, call),
    } as unknown as ConnectionLike;
  }

  #callers(handlers: Handlers, awake: () => Promise<void>): Handlers {
    return Object.fromEntries(
      Object.entries(handlers).map(([name, handle]) => [
        name,
        async (request: never) => {
          await awake();
          try {
            return await this.#limited(() => this.#call(() => handle(request)));
          } finally {
            await awake();
          }
        },
      ]),
    );
  }

  async #limited<Result>(call: () => Promise<Result>): Promise<Result> {
    const { deadline, signal } = this.#limits.getStore() ?? {};
    const inTime = deadline === undefined ? call : () => this.#before(deadline, call);
    return await (signal === undefined ? inTime() : unlessAborted(signal, inTime));
  }

  async #call(handle: () => unknown): Promise<unknown> {
    const { world } = this.#server;
    const { deadline = Infinity, signal } = this.#limits.getStore() ?? {};
    for (let attempt = 1; ; attempt += 1) {
      await world.pause(world.chance.below(slowestWayMs));
      // Its caller has given it up: it is not made again.
      if (signal?.aborted === true || world.now > deadline)
        throw new GrpcError(code.CANCELLED, 'Cancelled on client');
      if (!this.#server.isDown) {
        const answer = await this.#answer(handle, attempt);
        if (answer !== undefined) return answer;
      } else if (attempt === 10) throw new GrpcError(code.UNAVAILABLE, 'the server is away');
      else await world.pause(Math.min(5_000, 100 * 1.7 ** attempt));
    }
  }

  /** Undefined for a call that has to be made again, because the server has no room for it now. */
  async #answer(handle: () => unknown, attempt: number): Promise<unknown> {
    const { world } = this.#server;
    let answer: unknown;
    try {
      answer = await handle();
    } catch (error) {
      const isFull = error instanceof GrpcError && error.code === Number(code.RESOURCE_EXHAUSTED);
      if (!isFull || attempt === 10) throw error;
      await world.pause(Math.min(5_000, 1_000 * 1.7 ** attempt));
      return undefined;
    }
    if (this.#server.isDown) throw new GrpcError(code.UNAVAILABLE, 'the server has gone away');
    await world.pause(world.chance.below(slowestWayMs));
    return answer;
  }

  async #before<Result>(deadline: number, call: () => Promise<Result>): Promise<Result> {
    const { world } = this.#server;
    return await new Promise<Result>((resolve, reject) => {
      const cancel = world.after(deadline - world.now, () =>
        reject(new GrpcError(code.DEADLINE_EXCEEDED, 'Deadline exceeded')),
      );
      void call().then(resolve, reject).finally(cancel);
    });
  }

  #find(execution: Ref): Execution {
    const found = this.#server.find(execution?.workflowId ?? '', execution?.runId);
    if (found === undefined)
      throw new GrpcError(
        code.NOT_FOUND,
        `workflow not found for ID: ${execution?.workflowId ?? ''}`,
      );
    return found;
  }

  #findOpen(execution: Ref): Execution {
    const found = this.#find(execution);
    if (!found.isOpen) throw alreadyCompleted();
    return found;
  }

  /** The same request again gets the same answer. */
  #once<Answer>(requestId: string | null | undefined, answer: () => Answer): Answer {
    if (!requestId) return answer();
    if (!this.#answered.has(requestId)) this.#answered.set(requestId, answer());
    return this.#answered.get(requestId) as Answer;
  }

  #operatorService(): Handlers {
    return {
      listSearchAttributes: () => ({ customAttributes: registered, systemAttributes: {} }),
      addSearchAttributes: () => ({}),
    };
  }

  #workflowService(): Handlers {
    return {
      getSystemInfo: () => ({ serverVersion: '1.32.0', capabilities: {} }),
      describeNamespace: ({ namespace }: { namespace: string }) => {
        if (namespace !== this.#server.namespace)
          throw new GrpcError(code.NOT_FOUND, `Namespace ${namespace} is not found.`);
        return {
          namespaceInfo: { name: namespace, state: 1 },
          config: { workflowExecutionRetentionTtl: { seconds: Long.fromNumber(86_400), nanos: 0 } },
        };
      },
      startWorkflowExecution: (request: Request<'StartWorkflowExecution'>) => this.#start(request),
      signalWithStartWorkflowExecution: (request: Request<'SignalWithStartWorkflowExecution'>) =>
        this.#signalWithStart(request),
      executeMultiOperation: (request: Request<'ExecuteMultiOperation'>) =>
        this.#startWithUpdate(request),
      updateWorkflowExecution: (request: Request<'UpdateWorkflowExecution'>) =>
        this.#update(request),
      pollWorkflowExecutionUpdate: (request: Request<'PollWorkflowExecutionUpdate'>) =>
        this.#pollUpdate(request),
      signalWorkflowExecution: (request: Request<'SignalWorkflowExecution'>) =>
        this.#signal(request),
      terminateWorkflowExecution: ({
        workflowExecution,
        reason,
      }: Request<'TerminateWorkflowExecution'>) => {
        this.#findOpen(workflowExecution).terminate(reason ?? '');
        return {};
      },
      requestCancelWorkflowExecution: ({
        workflowExecution,
        reason,
      }: Request<'RequestCancelWorkflowExecution'>) => {
        // The request is well also for one that is closed.
        this.#find(workflowExecution).requestCancel({
          cause: reason ?? '',
          identity: 'client',
        });
        return {};
      },
      deleteWorkflowExecution: ({ workflowExecution }: Request<'DeleteWorkflowExecution'>) => {
        this.#server.delete(this.#find(workflowExecution));
        return {};
      },
      resetWorkflowExecution: (request: Request<'ResetWorkflowExecution'>) => this.#reset(request),
      queryWorkflow: (request: Request<'QueryWorkflow'>) => this.#query(request),
      describeWorkflowExecution: ({ execution }: Request<'DescribeWorkflowExecution'>) =>
        describe(this.#find(execution)),
      getWorkflowExecutionHistory: (request: Request<'GetWorkflowExecutionHistory'>) =>
        this.#history(request),
      getWorkflowExecutionHistoryReverse: (
        request: Request<'GetWorkflowExecutionHistoryReverse'>,
      ) => this.#historyReverse(request),
      listWorkflowExecutions: ({ query }: Request<'ListWorkflowExecutions'>) => ({
        executions: this.#list(query ?? '').map(infoOf),
        nextPageToken: new Uint8Array(),
      }),
      countWorkflowExecutions: ({ query }: Request<'ListWorkflowExecutions'>) => ({
        count: Long.fromNumber(this.#list(query ?? '').length),
        groups: [],
      }),
      describeTaskQueue: ({ taskQueue }: Request<'DescribeTaskQueue'>) => ({
        pollers: this.#server.pollers
          .filter((poller) => poller.taskQueue === taskQueue?.name && poller.isPolling())
          .map(({ id }) => ({ identity: id, lastAccessTime: timeOf(this.#server.world.now) })),
      }),
      listWorkers: () => ({ workersInfo: [] }),
      recordActivityTaskHeartbeat: (request: Request<'RecordActivityTaskHeartbeat'>) =>
        this.#heartbeat(request),
    };
  }

  #heartbeat({ taskToken, details }: Request<'RecordActivityTaskHeartbeat'>): object {
    const { workflowId, runId, scheduledId, attempt } = readTaskToken(taskToken);
    const execution = this.#server.find(workflowId, runId);
    const activity = execution?.activities.get(scheduledId);
    if (activity?.isCurrent(attempt) !== true)
      throw new GrpcError(code.NOT_FOUND, 'invalid activityID or activity already timed out');
    activity.beat(details ?? undefined);
    return { cancelRequested: activity.isCancelRequested };
  }

  // Starts.

  #start(request: Request<'StartWorkflowExecution'>): { runId: string; started: boolean } {
    return this.#once(request.requestId, () => {
      const { execution, isNew } = this.#startOrFind(request);
      return { runId: execution.runId, started: isNew };
    });
  }

  #startOrFind(request: Request<'StartWorkflowExecution'>): {
    readonly execution: Execution;
    readonly isNew: boolean;
  } {
    const workflowId = request.workflowId ?? '';
    refuseLarge(request.input?.payloads);
    if (sizeOfMemo(request.memo?.fields) > limits.memo) throw invalid(messages.memo);
    const open = this.#server.find(workflowId);
    if (open?.isOpen === true && Number(request.workflowIdConflictPolicy) === 2)
      return { execution: open, isNew: false };
    if (open?.isOpen === true && Number(request.workflowIdConflictPolicy) === 3)
      open.terminate('a new run begins');
    try {
      const execution = this.#server.start({
        workflowId,
        userMetadata: request.userMetadata,
        reuse: reuseOf(request.workflowIdReusePolicy),
        attributes: {
          workflowType: request.workflowType ?? {},
          taskQueue: request.taskQueue ?? {},
          identity: request.identity ?? '',
          ...(request.input && { input: request.input }),
          ...(request.memo && { memo: request.memo }),
          ...(request.searchAttributes && { searchAttributes: request.searchAttributes }),
          ...(request.header && { header: request.header }),
          ...(request.workflowTaskTimeout && { workflowTaskTimeout: request.workflowTaskTimeout }),
          ...runTimesOf(request),
        },
      });
      return { execution, isNew: true };
    } catch (error) {
      if (!(error instanceof AlreadyStarted)) throw error;
      throw new GrpcError(code.ALREADY_EXISTS, error.message);
    }
  }

  #signalWithStart(request: Request<'SignalWithStartWorkflowExecution'>): { runId: string } {
    return this.#once(request.requestId, () => {
      const start = { ...request, requestId: null, workflowIdConflictPolicy: 2 };
      refuseLarge(request.signalInput?.payloads);
      const { execution } = this.#startOrFind(start);
      refuseSignal(execution);
      execution.signal({
        signalName: request.signalName ?? '',
        ...(request.signalInput && { input: request.signalInput }),
        ...(request.header && { header: request.header }),
        identity: request.identity ?? '',
      });
      return { runId: execution.runId };
    });
  }

  async #startWithUpdate(request: Request<'ExecuteMultiOperation'>): Promise<unknown> {
    const [start, update] = request.operations ?? [];
    const { startWorkflow } = start ?? {};
    const { updateWorkflow } = update ?? {};
    if (!startWorkflow || !updateWorkflow) throw new Error('unknown operations');
    const { runId, started } = this.#start(startWorkflow);
    const updated = await this.#update(updateWorkflow);
    return { responses: [{ startWorkflow: { runId, started } }, { updateWorkflow: updated }] };
  }

  #signal(request: Request<'SignalWorkflowExecution'>): unknown {
    return this.#once(request.requestId, () => {
      const { signalName, input, header, identity } = request;
      refuseLarge(input?.payloads);
      const execution = this.#findOpen(request.workflowExecution);
      refuseSignal(execution);
      execution.signal({
        signalName: signalName ?? '',
        ...(input && { input }),
        ...(header && { header }),
        identity: identity ?? '',
      });
      return {};
    });
  }

  // Updates.

  async #update(request: Request<'UpdateWorkflowExecution'>): Promise<unknown> {
    const execution = this.#find(request.workflowExecution);
    const known = execution.updates.get(request.request?.meta?.updateId ?? '');
    if (known === undefined && !execution.isOpen) throw alreadyCompleted();
    if (execution.isFailing) throw failing('perform workflow execution update');
    refuseLarge(request.request?.input?.args?.payloads);
    const update = known ?? admit(execution, request.request ?? {});
    return await this.#waitFor(execution, update, Number(request.waitPolicy?.lifecycleStage ?? 2));
  }

  async #pollUpdate(request: Request<'PollWorkflowExecutionUpdate'>): Promise<unknown> {
    const { updateRef, waitPolicy } = request;
    const execution = this.#find(updateRef?.workflowExecution);
    const id = updateRef?.updateId ?? '';
    const update = execution.updates.get(id);
    if (update === undefined) throw new GrpcError(code.NOT_FOUND, `update ${id} not found`);
    return await this.#waitFor(execution, update, Number(waitPolicy?.lifecycleStage ?? 0));
  }

  async #waitFor(execution: Execution, update: Update, wanted: number): Promise<unknown> {
    const { world } = this.#server;
    const until = world.now + longPollMs;
    while (update.lost === undefined && stageOf(update) < wanted && world.now < until)
      await new Promise<void>((resolve) => {
        const cancel = world.after(until - world.now, resolve);
        update.waiters.push(() => {
          cancel();
          resolve();
        });
      });
    if (update.lost === 'closed') throw alreadyCompleted();
    if (update.lost === 'forgotten')
      throw new GrpcError(code.UNAVAILABLE, 'the server has gone away');
    const { workflowId, runId } = execution;
    return {
      updateRef: { workflowExecution: { workflowId, runId }, updateId: update.id },
      stage: stageOf(update),
      ...(update.outcome && { outcome: update.outcome }),
    };
  }

  // Reads.

  async #query({ execution: ref, query }: Request<'QueryWorkflow'>): Promise<unknown> {
    const { world } = this.#server;
    const until = world.now + queryMs;
    for (;;) {
      const execution = this.#find(ref);
      if (execution.isFailing) throw failing('query workflow');
      const isBehind = execution.isOpen && execution.task !== undefined;
      const worker = isBehind ? undefined : this.#server.workerFor(execution);
      if (worker !== undefined) {
        const args = query?.queryArgs?.payloads ?? [];
        try {
          const name = query?.queryType ?? '';
          const asked = { name, args, headers: query?.header?.fields ?? {} };
          const result = await worker.query(execution, asked);
          return { queryResult: { payloads: result === undefined ? [] : [result] } };
        } catch (error) {
          throw new GrpcError(code.INVALID_ARGUMENT, (error as Error).message);
        }
      }
      if (world.now >= until)
        throw new GrpcError(code.DEADLINE_EXCEEDED, 'query timed out before processing');
      await world.pause(50);
    }
  }

  async #history(request: Request<'GetWorkflowExecutionHistory'>): Promise<unknown> {
    const { execution: ref, waitNewEvent, historyEventFilterType, maximumPageSize } = request;
    const token = tokenOf(request.nextPageToken);
    const execution = this.#find({ ...ref, ...(token && { runId: token.runId }) });
    const { runId } = execution;
    if (waitNewEvent && execution.isOpen) await this.#closeOrPoll(execution);
    if (Number(historyEventFilterType) === closeEventsOnly) {
      if (waitNewEvent && execution.isOpen)
        return { history: { events: [] }, nextPageToken: pageToken(runId, 0) };
      return { history: { events: execution.history.events.slice(-1).map(eventOf) } };
    }
    const from = token?.from ?? 0;
    const to = from + (maximumPageSize || pageEvents);
    const { events } = execution.history;
    return {
      history: { events: events.slice(from, to).map(eventOf) },
      nextPageToken: to < events.length ? pageToken(runId, to) : new Uint8Array(),
    };
  }

  async #closeOrPoll(execution: Execution): Promise<void> {
    const { world } = this.#server;
    await new Promise<void>((resolve) => {
      const cancel = world.after(longPollMs, resolve);
      this.#server.whenClosed(execution, () => {
        cancel();
        resolve();
      });
    });
  }

  #historyReverse(request: Request<'GetWorkflowExecutionHistoryReverse'>): unknown {
    const token = tokenOf(request.nextPageToken);
    const execution = this.#find({ ...request.execution, ...(token && { runId: token.runId }) });
    const { events } = execution.history;
    const to = token?.from ?? events.length;
    const from = Math.max(0, to - (request.maximumPageSize || pageEvents));
    return {
      history: { events: events.slice(from, to).reverse().map(eventOf) },
      nextPageToken: from > 0 ? pageToken(execution.runId, from) : new Uint8Array(),
    };
  }

  #list(query: string): readonly Execution[] {
    const fits = conditionOf(query);
    return this.#server.executions.filter(fits).toReversed();
  }

  #reset(request: Request<'ResetWorkflowExecution'>): { runId: string } {
    return this.#once(request.requestId, () => {
      const execution = this.#find(request.workflowExecution);
      const excluded = (request.resetReapplyExcludeTypes ?? []).map(Number);
      const reapply = { signals: !excluded.includes(1), updates: !excluded.includes(2) };
      const finishId = Number(request.workflowTaskFinishEventId);
      const before = execution.history.events.find(({ id }) => id === finishId - 1);
      if (before?.name !== 'workflowTaskStarted')
        throw invalid(`no task ends at event ${finishId}`);
      const { runId } = this.#server.reset(execution, finishId, {
        ...reapply,
        reason: request.reason ?? '',
      });
      return { runId };
    });
  }
}

function alreadyCompleted(): GrpcError {
  return new GrpcError(code.NOT_FOUND, 'workflow execution already completed');
}

const invalid = (message: string): GrpcError => new GrpcError(code.INVALID_ARGUMENT, message);

function refuseLarge(
  payloads: readonly temporal.api.common.v1.IPayload[] | null | undefined,
): void {
  if (sizeOfPayloads(payloads) > limits.payload) throw invalid(messages.payload);
}

function refuseSignal(execution: Execution): void {
  const tooLong = execution.endIfTooLong();
  if (tooLong !== undefined) throw invalid(tooLong);
  if (execution.signals >= limits.signals) throw invalid(messages.signals);
}

function admit(execution: Execution, request: temporal.api.update.v1.IRequest): Update {
  try {
    const update = execution.updates.admit(request);
    execution.needTaskForUpdates();
    return update;
  } catch (error) {
    if (!(error instanceof UpdateLimit)) throw error;
    const isOfNow = error.message === messages.updatesInFlight;
    const status = isOfNow ? code.RESOURCE_EXHAUSTED : code.FAILED_PRECONDITION;
    throw new GrpcError(status, error.message);
  }
}

/** Where only the whole time is given, the first execution may take all of it. */
function runTimesOf(
  request: Request<'StartWorkflowExecution'>,
): Partial<temporal.api.history.v1.IWorkflowExecutionStartedEventAttributes> {
  const { workflowExecutionTimeout: whole, workflowStartDelay: delay } = request;
  const run = request.workflowRunTimeout ?? whole;
  return {
    ...(whole && { workflowExecutionTimeout: whole }),
    ...(run && { workflowRunTimeout: run }),
    ...(delay && { firstWorkflowTaskBackoff: delay }),
  };
}

const failing = (what: string): GrpcError =>
  new GrpcError(
    code.FAILED_PRECONDITION,
    `Unable to ${what} due to Workflow Task in failed state.`,
  );

/** Like the SDK's connection, it does not see that a signal was aborted before the call. */
async function unlessAborted<Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result> {
  const cancelled = new GrpcError(code.CANCELLED, 'Cancelled on client');
  return await new Promise<Result>((resolve, reject) => {
    const stop = (): void => reject(cancelled);
    signal.addEventListener('abort', stop, { once: true });
    void call()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

function stageOf({ stage }: Update): number {
  return stage === 'sent' ? stages.admitted : stages[stage];
}

type Token = { readonly runId: string; readonly from: number };

function pageToken(runId: string, from: number): Uint8Array {
  return Buffer.from(JSON.stringify({ runId, from }));
}

function tokenOf(token: Uint8Array | null | undefined): Token | undefined {
  if (!token || token.length === 0) return undefined;
  return JSON.parse(Buffer.from(token).toString()) as Token;
}

/** An event as the API has it. */
export function eventOf({
  id,
  at,
  name,
  attributes,
  userMetadata,
}: SimEvent): temporal.api.history.v1.HistoryEvent {
  const event = api.api.history.v1.HistoryEvent.fromObject({
    eventId: id,
    eventType: eventTypeOf(name),
    [`${name}EventAttributes`]: attributes,
    ...(userMetadata && { userMetadata }),
  });
  event.eventTime = timeOf(at);
  return event;
}

export function eventTypeOf(name: EventName): string {
  return `EVENT_TYPE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function infoOf(execution: Execution): temporal.api.workflow.v1.IWorkflowExecutionInfo {
  const { workflowId, runId, started, history, status } = execution;
  return {
    execution: { workflowId, runId },
    type: started.workflowType ?? {},
    startTime: timeOf(execution.startedAt),
    executionTime: timeOf(execution.startedAt),
    ...(execution.closedAt !== undefined && { closeTime: timeOf(execution.closedAt) }),
    status: statuses[status],
    historyLength: Long.fromNumber(history.events.length),
    historySizeBytes: Long.fromNumber(history.bytes),
    memo: { fields: execution.memo },
    searchAttributes: { indexedFields: execution.searchAttributes },
    taskQueue: execution.taskQueue,
    firstRunId: started.firstExecutionRunId ?? runId,
    ...(started.parentWorkflowExecution && { parentExecution: started.parentWorkflowExecution }),
    rootExecution: started.rootWorkflowExecution ?? { workflowId, runId },
  };
}

function describe(
  execution: Execution,
): temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse {
  const { task, isOpen } = execution;
  return {
    workflowExecutionInfo: infoOf(execution),
    executionConfig: {
      taskQueue: { name: execution.taskQueue },
      userMetadata: execution.history.events[0]?.userMetadata ?? null,
    },
    workflowExtendedInfo: { cancelRequested: execution.isCancelRequested },
    pendingActivities: isOpen ? [...execution.activities.values()].map(activityOf) : [],
    pendingChildren: isOpen
      ? [...execution.children.values()].map(({ initiated, runId }) => ({
          workflowId: initiated.attributes.workflowId ?? '',
          runId: runId ?? '',
          workflowTypeName: initiated.attributes.workflowType?.name ?? '',
          initiatedId: Long.fromNumber(initiated.id),
          parentClosePolicy: initiated.attributes.parentClosePolicy ?? 1,
        }))
      : [],
    ...(task !== undefined &&
      task.kind !== 'speculative' && {
        pendingWorkflowTask: {
          state: task.isStarted ? 2 : 1,
          scheduledTime: timeOf(task.scheduledAt),
          originalScheduledTime: timeOf(task.scheduledAt),
          ...(task.isStarted && { startedTime: timeOf(task.startedAt) }),
          attempt: task.attempt,
        },
      }),
    callbacks: [],
  };
}

function activityOf(
  activity: ReturnType<Execution['activities']['get']> & object,
): temporal.api.workflow.v1.IPendingActivityInfo {
  const { given, attempt, startedAt, scheduledAt, heartbeat, lastFailure, worker } = activity;
  const runs = activity.isCancelRequested ? 3 : 2;
  const whole = limitOf(given.scheduleToCloseTimeout);
  return {
    activityId: given.activityId ?? '',
    activityType: { name: given.activityType ?? '' },
    state: startedAt === undefined ? 1 : runs,
    attempt,
    maximumAttempts: given.retryPolicy?.maximumAttempts ?? 0,
    scheduledTime: timeOf(activity.readyAt),
    ...(startedAt !== undefined && { lastStartedTime: timeOf(startedAt) }),
    ...(heartbeat && { heartbeatDetails: heartbeat }),
    ...(lastFailure && { lastFailure }),
    lastWorkerIdentity: worker ?? activity.lastWorker ?? '',
    ...(whole !== undefined && { expirationTime: timeOf(scheduledAt + whole) }),
  };
}

type Condition = (execution: Execution) => boolean;

/** What lists of Longhaul ask: conditions with AND, OR and parentheses. */
function conditionOf(query: string): Condition {
  const tokens = query.match(/\(|\)|'(?:[^']|'')*'|!=|=|,|\w+/g) ?? [];
  const next = (): string => tokens.shift() ?? '';
  const all = (): Condition => joined('OR', () => joined('AND', one));
  const joined = (by: string, part: () => Condition): Condition => {
    const parts = [part()];
    while (tokens[0] === by) {
      next();
      parts.push(part());
    }
    return (execution) =>
      by === 'AND'
        ? parts.every((holds) => holds(execution))
        : parts.some((holds) => holds(execution));
  };
  const one = (): Condition => {
    if (tokens[0] !== '(') return compared(next(), next(), next);
    next();
    const inner = all();
    next();
    return inner;
  };
  return query.trim() === '' ? () => true : all();
}

function compared(name: string, operator: string, next: () => string): Condition {
  const text = (token: string): string => token.slice(1, -1).replaceAll("''", "'");
  if (operator === 'IS') {
    next();
    return (execution) => membersOf(execution, name).length === 0;
  }
  const values: string[] = [];
  for (let token = next(); token !== ')' && token !== ''; token = next()) {
    if (token.startsWith("'")) values.push(text(token));
    if (operator !== 'IN') break;
  }
  const isNegated = operator === '!=';
  if (!isNegated && operator !== '=' && operator !== 'IN')
    throw new Error(`the simulator does not know the operator ${operator}`);
  return (execution) =>
    membersOf(execution, name).some((value) => values.includes(value)) !== isNegated;
}

function membersOf(execution: Execution, name: string): readonly string[] {
  const { workflowId, started, status } = execution;
  switch (name) {
    case 'WorkflowId':
      return [workflowId];
    case 'WorkflowType':
      return [started.workflowType?.name ?? ''];
    case 'TaskQueue':
      return [execution.taskQueue];
    case 'ExecutionStatus':
      return [status.slice(0, 1).toUpperCase() + status.slice(1)];
    case 'ParentWorkflowId':
      return [started.parentWorkflowExecution?.workflowId ?? ''];
    case 'RootWorkflowId':
      return [started.rootWorkflowExecution?.workflowId ?? workflowId];
    default:
      return attributeOf(execution, name);
  }
}

function attributeOf({ searchAttributes }: Execution, name: string): readonly string[] {
  if (!(name in registered)) throw new Error(`the simulator does not know the attribute ${name}`);
  const data = searchAttributes[name]?.data;
  return data ? [JSON.parse(Buffer.from(data).toString()) as string | string[]].flat() : [];
}
