// Longhaul's activities as a worker of the simulation makes them: the real ones, in the SDK's own context of an activity.

import { type Client } from '@temporalio/client';
import type { ActivityFunction, LoadedDataConverter } from '@temporalio/common';
import type { coresdk } from '@temporalio/proto';
import {
  type ActivityInterceptorsFactory,
  DefaultLogger,
  type WorkerOptions,
} from '@temporalio/worker';
import type { CancelReason } from '@temporalio/worker/lib/activity';
import { LonghaulPlugin } from 'longhaul/worker';
import { Activity, common, internal } from '../internals';
import type { Execution } from '../server/execution';
import type { PendingActivity } from '../server/pending-activity';
import { taskToken } from '../task-token';
import { limitOf, msOf } from '../time';

export type LonghaulOptions = NonNullable<ConstructorParameters<typeof LonghaulPlugin>[0]>;

export type HostOptions = {
  readonly identity: string;
  readonly taskQueue: string;
  readonly client: Client;
  readonly longhaul: LonghaulOptions;
  /** The user's own, beside Longhaul's. */
  readonly activities?: object | undefined;
  readonly dataConverter?: WorkerOptions['dataConverter'];
  readonly interceptors?: readonly ActivityInterceptorsFactory[] | undefined;
};

export type Result = coresdk.activity_result.IActivityExecutionResult;

/** One attempt at an activity. */
export type Attempt = {
  readonly result: Promise<Result>;
  readonly cancel: (reason: CancelReason) => void;
};

export class ActivityHost {
  readonly #options: HostOptions;
  readonly #plugin: LonghaulPlugin;
  readonly #activities: ReadonlyMap<string, ActivityFunction>;
  readonly #converter: LoadedDataConverter;

  constructor(options: HostOptions) {
    const { identity, taskQueue, client, longhaul, activities = {}, dataConverter } = options;
    this.#options = options;
    this.#plugin = new LonghaulPlugin(longhaul);
    const configured = this.#plugin.configureWorker({
      identity,
      taskQueue,
      connection: client.connection as never,
      activities,
      ...(dataConverter && { dataConverter }),
    });
    this.#converter = internal.loadDataConverter(configured.dataConverter);
    this.#activities = new Map(Object.entries(configured.activities ?? {}) as never);
  }

  /** Its worker is gone. */
  async close(): Promise<void> {
    await this.#plugin.runWorker({} as never, async () => undefined);
  }

  /** `heartbeat` gets the details as the server keeps them. */
  async start(
    execution: Execution,
    activity: PendingActivity,
    heartbeat: (details: coresdk.activity_task.IStart['heartbeatDetails'] & object) => void,
  ): Promise<Attempt> {
    const { taskQueue, client, interceptors = [] } = this.#options;
    const { given } = activity;
    const name = given.activityType ?? '';
    const run = this.#activities.get(name);
    if (run === undefined) throw new Error(`there is no activity ${name}`);
    const { workflowId, runId } = execution;
    const { scheduledId, attempt } = activity;
    const token = taskToken({ workflowId, runId, scheduledId, attempt });
    const context = {
      type: 'activity',
      namespace: 'default',
      activityId: given.activityId ?? '',
      workflowId,
      workflowType: execution.started.workflowType?.name ?? '',
      activityType: name,
      isLocal: false,
    } as never;
    const { retryPolicy } = given;
    const info = {
      taskToken: token,
      base64TaskToken: token.toString('base64'),
      taskQueue,
      activityId: given.activityId ?? '',
      workflowExecution: { workflowId, runId },
      attempt: activity.attempt,
      isLocal: false,
      activityType: name,
      workflowType: execution.started.workflowType?.name ?? '',
      heartbeatTimeoutMs: limitOf(given.heartbeatTimeout),
      heartbeatDetails: await internal.decodeFromPayloadsAtIndex(
        this.#converter,
        0,
        activity.heartbeat?.payloads,
        context,
      ),
      activityNamespace: 'default',
      workflowNamespace: 'default',
      scheduledTimestampMs: activity.scheduledAt,
      startToCloseTimeoutMs: msOf(given.startToCloseTimeout),
      scheduleToCloseTimeoutMs: msOf(given.scheduleToCloseTimeout),
      currentAttemptScheduledTimestampMs: activity.readyAt,
      priority: common.decodePriority(undefined),
      ...(retryPolicy && {
        retryPolicy: { maximumAttempts: retryPolicy.maximumAttempts || undefined },
      }),
      namespace: 'default',
      inWorkflow: true,
    };
    const beat = (details: unknown): void => {
      void internal
        .encodeToPayload(this.#converter, details, context)
        .then((payload) => heartbeat([payload]));
    };
    const real = new Activity(
      info as never,
      run,
      this.#converter,
      context,
      undefined,
      beat,
      client,
      logger,
      common.noopMetricMeter,
      [...interceptors],
    );
    const args = await internal.decodeArrayFromPayloads(this.#converter, given.arguments, context);
    const cancel = (reason: CancelReason): void =>
      real.cancel(
        reason,
        new common.ActivityCancellationDetails({
          notFound: reason === 'NOT_FOUND',
          cancelRequested: reason === 'CANCELLED',
          timedOut: reason === 'TIMED_OUT',
          workerShutdown: reason === 'WORKER_SHUTDOWN',
        }),
      );
    const result = real.run({ args, headers: given.headers ?? {} });
    return { result, cancel };
  }
}

const logger = new DefaultLogger('ERROR', () => undefined);
