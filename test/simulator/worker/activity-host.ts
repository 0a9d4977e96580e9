// Longhaul's activities as a worker of the simulation makes them: the real ones, in the SDK's own context of an activity.

import { dirname, join } from 'node:path';
import { Client, type ConnectionLike } from '@temporalio/client';
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
import { PayloadCodecs, type PayloadContext } from './payloads';
import type { Place, Workflows } from './sandbox';
import { bundlePath } from './source-lines';

export type LonghaulOptions = NonNullable<ConstructorParameters<typeof LonghaulPlugin>[0]>;

export type HostOptions = {
  readonly identity: string;
  readonly taskQueue: string;
  readonly connection: ConnectionLike;
  readonly longhaul: LonghaulOptions;
  /** The user's own, beside Longhaul's. */
  readonly activities?: object | undefined;
  readonly dataConverter?: WorkerOptions['dataConverter'];
  /** Default: those of Longhaul. */
  readonly workflows?: Workflows | undefined;
  readonly interceptors?: readonly ActivityInterceptorsFactory[] | undefined;
};

export type Result = coresdk.activity_result.IActivityExecutionResult;

/** One attempt at an activity. */
export type Attempt = {
  readonly result: Promise<Result>;
  readonly cancel: (reason: CancelReason) => void;
};

type Task = [
  execution: Execution,
  activity: PendingActivity,
  heartbeat: (details: coresdk.activity_task.IStart['heartbeatDetails'] & object) => void,
];

const encrypting = { codePath: join(dirname(bundlePath), 'workflow-bundle-encrypted.js') };

export class ActivityHost implements Place {
  readonly taskQueue: string;
  readonly workflows: Workflows;
  readonly codecs: PayloadCodecs;
  readonly sinks: Place['sinks'];
  readonly #options: HostOptions;
  readonly #plugin: LonghaulPlugin;
  readonly #client: Client;
  readonly #activities: ReadonlyMap<string, ActivityFunction>;
  readonly #converter: LoadedDataConverter;

  constructor(options: HostOptions) {
    const { identity, taskQueue, connection, longhaul, activities = {}, dataConverter } = options;
    this.#options = options;
    this.taskQueue = taskQueue;
    this.workflows =
      options.workflows ?? (longhaul.encryption ? encrypting : { codePath: bundlePath });
    this.#plugin = new LonghaulPlugin(longhaul);
    const configured = this.#plugin.configureWorker({
      identity,
      taskQueue,
      connection: connection as never,
      activities,
      ...(dataConverter && { dataConverter }),
    });
    this.#converter = internal.loadDataConverter(configured.dataConverter);
    this.#client = new Client({
      connection,
      namespace: 'default',
      identity,
      ...(configured.dataConverter && { dataConverter: configured.dataConverter }),
      ...(configured.interceptors?.client && { interceptors: configured.interceptors.client }),
    });
    this.sinks = configured.sinks;
    this.codecs = new PayloadCodecs(this.#converter);
    this.#activities = new Map(Object.entries(configured.activities ?? {}) as never);
  }

  get connection(): ConnectionLike {
    return this.#options.connection;
  }

  /** Its worker is gone. */
  async close(): Promise<void> {
    await this.#plugin.runWorker({} as never, async () => undefined);
  }

  /** `heartbeat` gets the details as the server keeps them. */
  async start(...task: Task): Promise<Attempt> {
    try {
      return await this.#start(...task);
    } catch (error) {
      return { result: this.#failed(error), cancel: () => undefined };
    }
  }

  async #start(...[execution, activity, heartbeat]: Task): Promise<Attempt> {
    const { taskQueue, interceptors = [] } = this.#options;
    const { given } = activity;
    const name = given.activityType ?? '';
    const run = this.#activities.get(name);
    if (run === undefined) throw new Error(`there is no activity ${name}`);
    const { workflowId, runId } = execution;
    const { scheduledId, attempt } = activity;
    const token = taskToken({ workflowId, runId, scheduledId, attempt });
    const of = {
      type: 'activity',
      namespace: 'default',
      activityId: given.activityId ?? '',
      workflowId,
      workflowType: execution.started.workflowType?.name ?? '',
      activityType: name,
      isLocal: false,
    } as const;
    const context = of as never;
    const { input, beaten } = await this.codecs.retrieved(
      { input: given.arguments, beaten: activity.heartbeat?.payloads },
      of,
    );
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
        beaten,
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
        .then(async (payload) => heartbeat([await this.codecs.stored(payload, of)]));
    };
    const real = new Activity(
      info as never,
      run,
      this.#converter,
      context,
      undefined,
      beat,
      this.#client,
      logger,
      common.noopMetricMeter,
      [...interceptors],
    );
    const args = await internal.decodeArrayFromPayloads(this.#converter, input, context);
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
    const result = this.#stored(real.run({ args, headers: given.headers ?? {} }), of);
    return { result, cancel };
  }

  async #stored(result: Promise<Result>, context: PayloadContext): Promise<Result> {
    try {
      return await this.codecs.stored(await result, context);
    } catch (error) {
      return await this.#failed(error);
    }
  }

  async #failed(error: unknown): Promise<Result> {
    const cause = common.ensureApplicationFailure(error);
    return { failed: { failure: await internal.encodeErrorToFailure(this.#converter, cause) } };
  }
}

const logger = new DefaultLogger('ERROR', () => undefined);
