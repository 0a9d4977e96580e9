// One activity on the server: its attempts, its time limits, and its end.
//
// 1. An attempt that is lost is noticed by its heartbeat, or by its time limit. The next one begins after a pause that grows.
// 2. Whoever reports for an attempt that is over is told so.

import type { temporal } from '@temporalio/proto';
import type { Given } from '../core/operations';
import { limitOf, timeOf } from '../time';
import type { Cancel, World } from '../world';

type Failure = temporal.api.failure.v1.IFailure;
type Payloads = temporal.api.common.v1.IPayloads;

export type ActivityEnd =
  | { readonly kind: 'completed'; readonly result: Payloads | undefined }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryState: number }
  | { readonly kind: 'timedOut'; readonly failure: Failure; readonly retryState: number }
  | { readonly kind: 'canceled'; readonly details: Payloads | undefined };

/** Numbers of Temporal's API. */
export const retryState = {
  nonRetryable: 2,
  timeout: 3,
  maximumAttempts: 4,
  policyNotSet: 5,
  cancelRequested: 7,
} as const;
const timeoutType = {
  startToClose: 1,
  scheduleToStart: 2,
  scheduleToClose: 3,
  heartbeat: 4,
} as const;

type Options = {
  readonly world: World;
  readonly scheduledId: number;
  readonly given: Given<'scheduleActivity'>;
  /** An attempt is ready for a worker. */
  readonly onReady: (activity: PendingActivity) => void;
  readonly onEnd: (activity: PendingActivity, end: ActivityEnd) => void;
};

export class PendingActivity {
  readonly scheduledId: number;
  readonly given: Given<'scheduleActivity'>;
  readonly scheduledAt: number;
  attempt = 1;
  /** When this attempt came to the task queue. */
  readyAt: number;
  startedAt: number | undefined;
  worker: string | undefined;
  lastFailure: Failure | undefined;
  lastWorker: string | undefined;
  heartbeat: Payloads | undefined;
  heartbeatAt = 0;
  isCancelRequested = false;
  isOver = false;
  readonly #world: World;
  readonly #options: Options;
  #limits: Cancel[] = [];
  readonly #whole: Cancel;

  constructor(options: Options) {
    const { world, scheduledId, given } = options;
    this.#world = world;
    this.#options = options;
    this.scheduledId = scheduledId;
    this.given = given;
    this.scheduledAt = world.now;
    this.readyAt = world.now;
    const whole = limitOf(given.scheduleToCloseTimeout);
    this.#whole =
      whole === undefined
        ? () => undefined
        : world.after(whole, () => this.#timeOut(timeoutType.scheduleToClose));
    this.#ready();
  }

  /** Whether the attempt is the one that runs. */
  isCurrent(attempt: number): boolean {
    return !this.isOver && this.startedAt !== undefined && this.attempt === attempt;
  }

  start(worker: string): void {
    this.#clear();
    this.startedAt = this.#world.now;
    this.worker = worker;
    const limit = limitOf(this.given.startToCloseTimeout);
    if (limit !== undefined)
      this.#limits.push(this.#world.after(limit, () => this.#timeOut(timeoutType.startToClose)));
    this.#watchHeartbeat();
  }

  beat(details: Payloads | undefined): void {
    if (details !== undefined) this.heartbeat = details;
    this.heartbeatAt = this.#world.now;
    this.#watchHeartbeat();
  }

  complete(result: Payloads | undefined): void {
    this.#end({ kind: 'completed', result });
  }

  fail(failure: Failure): void {
    const { retryPolicy } = this.given;
    const info = failure.applicationFailureInfo;
    const isFinal =
      info?.nonRetryable === true ||
      (retryPolicy?.nonRetryableErrorTypes ?? []).includes(info?.type ?? '');
    if (isFinal) this.#end({ kind: 'failed', failure, retryState: retryState.nonRetryable });
    else if (this.isCancelRequested)
      this.#end({ kind: 'failed', failure, retryState: retryState.cancelRequested });
    else this.#again(failure, info?.nextRetryDelay);
  }

  cancel(details: Payloads | undefined): void {
    this.#end({ kind: 'canceled', details });
  }

  /** The run is closed. */
  drop(): void {
    this.isOver = true;
    this.#clear();
    this.#whole();
  }

  #ready(): void {
    this.startedAt = undefined;
    this.worker = undefined;
    this.readyAt = this.#world.now;
    const limit = limitOf(this.given.scheduleToStartTimeout);
    if (limit !== undefined)
      this.#limits.push(this.#world.after(limit, () => this.#timeOut(timeoutType.scheduleToStart)));
    this.#options.onReady(this);
  }

  #watchHeartbeat(): void {
    const limit = limitOf(this.given.heartbeatTimeout);
    if (limit === undefined) return;
    const since = this.#world.now;
    this.heartbeatAt = since;
    this.#limits.push(
      this.#world.after(limit, () => {
        if (this.heartbeatAt === since) this.#timeOut(timeoutType.heartbeat);
      }),
    );
  }

  #timeOut(type: number): void {
    if (this.isOver) return;
    const cause = this.lastFailure;
    const failure: Failure = {
      message: `activity ${nameOf(type)} timeout`,
      source: 'Server',
      timeoutFailureInfo: {
        timeoutType: type,
        ...(this.heartbeat && { lastHeartbeatDetails: this.heartbeat }),
      },
    };
    const isFinal = type === timeoutType.scheduleToClose || type === timeoutType.scheduleToStart;
    if (!isFinal && !this.isCancelRequested) return this.#again(failure);
    this.#end({
      kind: 'timedOut',
      failure: { ...failure, ...(cause && { cause }) },
      retryState: isFinal ? retryState.timeout : retryState.cancelRequested,
    });
  }

  /** The next attempt, if there may be one. */
  #again(failure: Failure, delay?: Parameters<typeof limitOf>[0]): void {
    const { retryPolicy, scheduleToCloseTimeout } = this.given;
    const most = retryPolicy?.maximumAttempts ?? 0;
    const isTimeout = failure.timeoutFailureInfo != null;
    const kind = isTimeout ? 'timedOut' : 'failed';
    if (most > 0 && this.attempt >= most) {
      const cause = isTimeout && this.lastFailure ? { cause: this.lastFailure } : {};
      const last = { ...failure, ...cause };
      return this.#end({ kind, failure: last, retryState: retryState.maximumAttempts });
    }
    const first = limitOf(retryPolicy?.initialInterval) ?? 1_000;
    const factor = retryPolicy?.backoffCoefficient ?? 2;
    const longest = limitOf(retryPolicy?.maximumInterval) ?? first * 100;
    const pause = limitOf(delay) ?? Math.min(first * factor ** (this.attempt - 1), longest);
    const whole = limitOf(scheduleToCloseTimeout);
    if (whole !== undefined && this.#world.now + pause > this.scheduledAt + whole)
      return this.#end({ kind: 'timedOut', ...this.#tooLate(failure) });
    this.lastFailure = failure;
    this.lastWorker = this.worker;
    this.#clear();
    this.startedAt = undefined;
    this.attempt += 1;
    this.#limits.push(this.#world.after(pause, () => this.#ready()));
  }

  #tooLate(cause: Failure): { readonly failure: Failure; readonly retryState: number } {
    const message =
      'Not enough time to schedule next retry before activity ScheduleToClose timeout, giving up retrying';
    const timeoutFailureInfo = {
      timeoutType: timeoutType.scheduleToClose,
      ...(this.heartbeat && { lastHeartbeatDetails: this.heartbeat }),
    };
    return {
      failure: { message, source: 'Server', cause, timeoutFailureInfo },
      retryState: retryState.timeout,
    };
  }

  #end(end: ActivityEnd): void {
    if (this.isOver) return;
    this.drop();
    this.#options.onEnd(this, end);
  }

  #clear(): void {
    for (const cancel of this.#limits) cancel();
    this.#limits = [];
  }
}

function nameOf(type: number): string {
  const [name = ''] = Object.entries(timeoutType).find(([, each]) => each === type) ?? [];
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

type ActivityTimes = Pick<
  PendingActivity['given'],
  'scheduleToCloseTimeout' | 'scheduleToStartTimeout' | 'startToCloseTimeout' | 'heartbeatTimeout'
>;

/** No limit of an activity is longer than the one around it, and one that is left out is as long. `run`: of the execution. */
export function activityTimes(given: ActivityTimes, run: number | undefined): ActivityTimes {
  const attempt = limitOf(given.startToCloseTimeout);
  const whole = shortest(limitOf(given.scheduleToCloseTimeout), run);
  const start = shortest(limitOf(given.scheduleToStartTimeout), whole);
  const call = shortest(attempt, whole);
  const beat = limitOf(given.heartbeatTimeout);
  return {
    ...(whole !== undefined && { scheduleToCloseTimeout: timeOf(whole) }),
    ...(start !== undefined && { scheduleToStartTimeout: timeOf(start) }),
    ...(call !== undefined && { startToCloseTimeout: timeOf(call) }),
    ...(beat !== undefined && { heartbeatTimeout: timeOf(shortest(beat, call) ?? beat) }),
  };
}

function shortest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
