// One worker of a simulation: it takes tasks of the server, keeps runs in memory, and makes the activities that Longhaul's plugin has.
//
// 1. A run that is kept gets what is new of its history. After any task it may be dropped; the next task then reads it from its beginning.
// 2. A task whose workflow code fails is reported as failed, and the run is dropped, as the SDK does.
// 3. A worker that is frozen takes nothing, and what it has in hand waits. One that is gone has lost it.

import type { coresdk, temporal } from '@temporalio/proto';
import { common, temporal as api } from '../internals';
import { CoreRun } from '../core/core-run';
import { NonDeterminism } from '../core/operations';
import type { Begun, Execution } from '../server/execution';
import { limits, resultTooLarge, sizeOfFailure, sizeOfPayloads, unsent } from '../server/limits';
import type { PendingActivity } from '../server/pending-activity';
import type { Asked, Poller, SimServer } from '../server/server';
import type { ActivityHost, Attempt, Result } from './activity-host';
import { drive, type Driven } from './drive';
import { look, rebuild, type Seen } from './rebuild';

export type SimWorkerOptions = {
  readonly id: string;
  readonly taskQueue: string;
  readonly activities: ActivityHost;
  /** How many runs it keeps. */
  readonly cache: number;
  /** The most ms that a workflow task takes here. */
  readonly slowestTask: number;
  /** After which tasks the run is dropped and built again from its history. */
  readonly isRebuilt: () => boolean;
  /** Gets each piece of asynchronous work: the driver of the simulation waits for all of them. */
  readonly work: (work: Promise<void>) => void;
  /** Whether a workflow task may fail like this. Otherwise the seed has failed. */
  readonly mayFail: (error: Error) => boolean;
  /** A run asked for something that no run may: the seed has failed. */
  readonly onWrong: (error: unknown) => void;
};

const { WorkflowTaskFailedCause: taskFailed } = api.api.enums.v1;
const nonDeterministicCause = taskFailed.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR;
const failedCause = taskFailed.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE;

/** The most ms until a heartbeat, or the result of an activity, reaches the server. */
const heartbeatMs = 20;
const resultMs = 10;

export class SimWorker implements Poller {
  readonly id: string;
  readonly taskQueue: string;
  readonly #server: SimServer;
  readonly #options: SimWorkerOptions;
  /** The next activity is one of these. */
  activities: ActivityHost;
  readonly #kept = new Map<string, Driven>();
  readonly #calls = new Set<Attempt>();
  /** Runs whose workflow task it has: they stay in memory. The promise resolves when all tasks of the run that it has are over. */
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #whenIdle: (() => void)[] = [];
  #busy = 0;
  #isEnding = false;
  #isGone = false;
  #frozen: (() => void)[] | undefined;

  constructor(server: SimServer, options: SimWorkerOptions) {
    this.id = options.id;
    this.taskQueue = options.taskQueue;
    this.#server = server;
    this.#options = options;
    this.activities = options.activities;
    server.join(this);
  }

  readonly isPolling = (): boolean =>
    !this.#isGone && !this.#isEnding && this.#frozen === undefined;

  kill(): void {
    this.#isGone = true;
    this.#server.leave(this.id);
    for (const runId of [...this.#kept.keys()]) this.drop(runId);
    this.#options.work(this.activities.close());
  }

  /** Takes nothing new; after the grace it tells its calls that it ends. Resolves when they have ended. */
  async shutDown(graceMs: number): Promise<void> {
    this.#isEnding = true;
    const over = this.#server.world.after(graceMs, () => {
      for (const call of this.#calls) call.cancel('WORKER_SHUTDOWN');
    });
    while (this.#busy > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    over();
    this.kill();
  }

  /** The simulation is over: calls that never end are aborted, because Node keeps what listens to a signal. */
  end(): void {
    for (const call of this.#calls) call.cancel('WORKER_SHUTDOWN');
  }

  freeze(): void {
    this.#frozen ??= [];
  }

  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = undefined;
    for (const resume of waiting) resume();
  }

  /** Forgets a run. */
  drop(runId: string): void {
    const kept = this.#kept.get(runId);
    if (kept === undefined) return;
    this.#kept.delete(runId);
    this.#server.dropped(runId);
    if (kept.instance !== undefined) this.#options.work(kept.instance.dispose());
  }

  readonly workflowTask = (execution: Execution): void => {
    this.#options.work(this.#busyWith(this.#takeInTurn(execution)));
  };

  readonly activityTask = (execution: Execution, activity: PendingActivity): void => {
    this.#options.work(this.#busyWith(this.#takeActivity(execution, activity)));
  };

  /** Resolves when the worker is not frozen. Never for one that is gone: whatever it was doing, it does no more. */
  readonly awake = async (): Promise<void> => {
    while (this.#frozen !== undefined) {
      const waiting = this.#frozen;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    if (this.#isGone) await new Promise(() => undefined);
  };

  async #busyWith(work: Promise<void>): Promise<void> {
    this.#busy += 1;
    try {
      await work;
    } finally {
      this.#busy -= 1;
      for (const resume of this.#whenIdle.splice(0)) resume();
    }
  }

  async #pause(ms: number): Promise<void> {
    await this.#server.world.pause(ms);
    await this.awake();
  }

  // Workflow tasks.

  /** The server may give another task of a run while one is in hand, because it has given that up: it waits until the first is over. */
  async #takeInTurn(execution: Execution): Promise<void> {
    const { runId } = execution;
    const begun = execution.beginTask(this.id);
    const before = this.#inHand.get(runId);
    const taking = before?.then(() => this.#takeTask(execution, begun));
    const turn = taking ?? this.#takeTask(execution, begun);
    this.#inHand.set(runId, turn);
    await turn;
    if (this.#inHand.get(runId) !== turn) return;
    this.#inHand.delete(runId);
    if (this.#options.cache === 0) this.drop(runId);
  }

  async #takeTask(execution: Execution, { token, events, ...begun }: Begun): Promise<void> {
    const { runId } = execution;
    const { previousStartedId } = begun;
    const known = this.#current(runId, previousStartedId);
    const kept = known ?? { run: new CoreRun(runId), instance: undefined };
    const unknown = known ? events.filter(({ id }) => id > previousStartedId) : events;
    await this.#pause(this.#server.world.chance.below(this.#options.slowestTask));
    try {
      kept.run.begin({ ...begun, events: unknown });
      const flags = await drive(kept, this.activities);
      this.#keep(runId, kept);
      await this.#server.up();
      const before = execution.previousStartedId;
      const answer = kept.run.answer();
      const tooLarge = unsent(answer);
      if (tooLarge !== undefined)
        throw new UnsentError(tooLarge.message, { cause: tooLarge.cause });
      const completion = execution.completeTask(token, answer, flags);
      if (completion === 'forgotten') kept.run.forgetSpeculativeTask(before);
      const isTaken = completion === 'taken';
      // The worker may have been killed while its answer was on the way.
      const isKept = this.#kept.get(runId) === kept;
      if (isKept && (isTaken || completion === 'forgotten') && this.#options.isRebuilt()) {
        const seen = await look(execution, kept, isTaken ? answer.commands : undefined);
        this.#options.work(this.#rebuild(execution, kept, seen));
      }
      if (completion !== 'forgotten' && (!isTaken || !execution.isOpen)) this.drop(runId);
    } catch (error) {
      await this.awake();
      this.#kept.set(runId, kept);
      this.drop(runId);
      const { message, stack } = error as Error;
      if (!this.#options.mayFail(error as Error))
        this.#options.onWrong(new Error(`${nameOf(execution)}: ${stack}`));
      execution.failTask(token, causeOf(error), message);
    }
  }

  /** The rebuilt run goes on in place of the one that was kept, unless that has got another task. */
  async #rebuild(execution: Execution, kept: Driven, seen: Seen): Promise<void> {
    const { runId } = execution;
    const rebuilt = await rebuild(execution, seen, this.activities);
    const isIdle = this.#kept.get(runId) === kept && !this.#inHand.has(runId);
    const isCurrent = kept.run.startedId === rebuilt.run.startedId;
    if (isIdle && isCurrent) this.#kept.set(runId, rebuilt);
    await (isIdle && isCurrent ? kept : rebuilt).instance?.dispose();
  }

  /** The run as it is kept, unless another worker has had tasks of it since. */
  #current(runId: string, previousStartedId: number): Driven | undefined {
    const kept = this.#kept.get(runId);
    if (kept?.run.startedId === previousStartedId) return kept;
    this.drop(runId);
    return undefined;
  }

  #keep(runId: string, kept: Driven): void {
    this.#kept.delete(runId);
    this.#kept.set(runId, kept);
    this.#server.kept(runId, this.id);
    const idle = [...this.#kept.keys()].filter((each) => !this.#inHand.has(each));
    for (const oldest of idle.slice(0, Math.max(0, this.#kept.size - this.#options.cache)))
      this.drop(oldest);
  }

  /** Answers a query from the run in memory, or from its whole history. Throws what the run throws. */
  async query(
    execution: Execution,
    { name, args, headers }: Asked,
  ): Promise<temporal.api.common.v1.IPayload | undefined> {
    const { runId, previousStartedId } = execution;
    const known = this.#inHand.has(runId) ? undefined : this.#current(runId, previousStartedId);
    const kept = known ?? { run: new CoreRun(runId), instance: undefined };
    if (known === undefined) {
      kept.run.begin({ events: execution.history.events, previousStartedId, messages: [] });
      await drive(kept, this.activities);
    }
    const asked: coresdk.workflow_activation.IQueryWorkflow = {
      queryId: 'legacy',
      queryType: name,
      arguments: [...args],
      headers,
    };
    if (kept.instance === undefined) throw new Error('the run has not begun');
    const { successful, failed } = await kept.instance.activate(kept.run.queryActivation([asked]));
    if (known === undefined) await kept.instance.dispose();
    if (failed) throw new Error(failed.failure?.message ?? 'the query failed');
    const answer = successful?.commands?.find(
      ({ respondToQuery }) => respondToQuery,
    )?.respondToQuery;
    if (answer?.failed)
      throw common.defaultFailureConverter.failureToError(
        answer.failed,
        common.defaultPayloadConverter,
      );
    return answer?.succeeded?.response ?? undefined;
  }

  // Activities.

  async #takeActivity(execution: Execution, activity: PendingActivity): Promise<void> {
    activity.start(this.id);
    const { attempt } = activity;
    const isCurrent = (): boolean => activity.isCurrent(attempt);
    const begun: { call?: Attempt; unsent?: temporal.api.common.v1.IPayload[] | undefined } = {};
    const heartbeat = (payloads: temporal.api.common.v1.IPayload[]): void => {
      if (this.#isGone || this.#frozen !== undefined) return;
      begun.unsent = payloads;
      this.#server.world.after(this.#server.world.chance.below(heartbeatMs), () => {
        if (this.#isGone || this.#frozen !== undefined || this.#server.isDown) return;
        if (!isCurrent()) return begun.call?.cancel('NOT_FOUND');
        // Heartbeats keep their order: one that is overtaken has told all by then.
        if (begun.unsent !== undefined) activity.beat({ payloads: begun.unsent });
        begun.unsent = undefined;
        if (activity.isCancelRequested) begun.call?.cancel('CANCELLED');
      });
    };
    const call = await this.activities.start(execution, activity, heartbeat);
    begun.call = call;
    this.#calls.add(call);
    const result = await call.result;
    this.#calls.delete(call);
    await this.#pause(this.#server.world.chance.below(resultMs));
    await this.#server.up();
    if (!isCurrent()) return;
    // The next attempt gets the last heartbeat of this one.
    if (result.failed && begun.unsent) activity.beat({ payloads: begun.unsent });
    report(activity, result);
  }
}

const nameOf = ({ workflowId, runId, started }: Execution): string =>
  `run ${workflowId} ${runId} of ${started.workflowType?.name ?? ''}`;

/** Core does not send what the workflow code wants. Its cause is Temporal's number. */
class UnsentError extends Error {
  declare readonly cause: number;
}

function causeOf(error: unknown): number {
  if (error instanceof UnsentError) return error.cause;
  return error instanceof NonDeterminism ? nonDeterministicCause : failedCause;
}

/** SDK Core says so of a call that a worker which shuts down has ended. */
const shutdownFailure = {
  message: 'Worker is shutting down and this activity did not complete in time',
  applicationFailureInfo: { type: 'WorkerShutdown', nonRetryable: false },
};

function report(activity: PendingActivity, result: Result): void {
  if (result.completed) {
    const payloads = [result.completed.result ?? {}];
    if (sizeOfPayloads(payloads) > limits.payload) activity.fail(resultTooLarge);
    else activity.complete({ payloads });
    return;
  }
  // A failure that is too large never reaches the server: the attempt runs out of time.
  if (sizeOfFailure(result.failed?.failure) > limits.payload) return;
  if (result.failed) activity.fail(result.failed.failure ?? {});
  else if (result.cancelled) {
    if (activity.isCancelRequested) activity.cancel(undefined);
    else activity.fail(shutdownFailure);
  }
}
