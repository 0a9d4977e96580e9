import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { CheckSignature, InlineSpecs, OnPause, WorkerLogger } from '../activities/options';
import type { DeltaEvent } from '../protocol';
import {
  type Deltas,
  isDeltas,
  isResultStore,
  type ResultStore,
  type Stores,
} from '../stores/index';
import {
  type ModelProvider,
  type PriceTable,
  priceTable,
  type ProviderConfig,
  windowOf,
} from '../providers';
import {
  type Callbacks,
  createRegistry,
  type CustomCriterion,
  type McpServer,
  parseOptions,
  type Registry,
  type Runner,
  type SpecsOptions,
  type Tool,
} from '../define';
import { aFunction, count, made, nonBlank } from '../define/schema';
import type { EncryptionOptions } from '../server';
import { isTelemetry, type Telemetry } from '../telemetry';
import { z } from 'zod';
import { type WorkerDeployment, workerDeployment } from './deployment';

/** For options that the code checks where it uses them. */
const elsewhere = z.unknown().optional();

const name = nonBlank('a text').exactOptional();

function isLogger(value: unknown): boolean {
  const logger = Object(value) as Readonly<Record<string, unknown>>;
  return ['debug', 'info', 'warn', 'error'].every((level) => typeof logger[level] === 'function');
}

const ofLonghaul = {
  application: name,
  runners: elsewhere,
  specs: elsewhere,
  overlays: elsewhere,
  tools: elsewhere,
  criteria: elsewhere,
  callbacks: elsewhere,
  mcpServers: elsewhere,
  inlineSpecs: made(
    (value) => typeof value === 'boolean' || typeof value === 'function',
    'true, false or a function (spec, info) => boolean',
  ).exactOptional(),
  providers: elsewhere,
  prices: elsewhere,
  stores: elsewhere,
  results: made(isResultStore, 'a result store, such as FileResults').exactOptional(),
  logCacheBytes: count(1).exactOptional(),
  onDelta: aFunction().exactOptional(),
  logger: made(isLogger, 'a logger with debug, info, warn and error').exactOptional(),
  deltas: made(isDeltas, 'deltas, such as new ProcessDeltas()').exactOptional(),
  telemetry: made(isTelemetry, 'telemetry, such as openTelemetry()').exactOptional(),
  onPause: aFunction().exactOptional(),
  checkSignature: aFunction().exactOptional(),
  workerDeployment: workerDeployment.exactOptional(),
  encryption: elsewhere,
  clearFailures: elsewhere,
} satisfies Record<keyof LonghaulOptions, z.ZodType>;

const ofWorker = {
  ...ofLonghaul,
  connection: elsewhere,
  address: name,
  profile: name,
  namespace: name,
  taskQueue: name,
  dataConverter: elsewhere,
  workerOptions: made(
    (value) => Object(value) === value,
    "an object of options of Temporal's worker",
  ).exactOptional(),
} satisfies Record<keyof CreateWorkerOptions, z.ZodType>;

export const workerOptionNames: readonly string[] = Object.keys(ofWorker);

type Base = SpecsOptions & Pick<EncryptionOptions, 'encryption' | 'clearFailures'>;

/** The code of a worker, by name, and the settings of its model providers. */
export type LonghaulOptions = Base & {
  /**
   * The application that this code belongs to, 1 to 200 characters. Default: the name of the task queue. Workers of two applications may
   * share a task queue if their applications differ in name. Then no worker runs code of the other application.
   */
  readonly application?: string;
  /** The agents and workflows that this worker runs. */
  readonly runners?: readonly Runner[];
  /** Tools for agents that are only data, such as those of `specs`. The worker registers tools of `runners` by itself. */
  readonly tools?: readonly Tool[];
  readonly criteria?: readonly CustomCriterion[];
  readonly callbacks?: readonly Callbacks[];
  readonly mcpServers?: readonly McpServer[];
  /**
   * Whether a caller may start a run or thread with a whole spec. Such a spec can use every tool, MCP server, store and model of this
   * worker. Default false: the start fails with `InlineSpecRefused`. A function decides about each spec.
   */
  readonly inlineSpecs?: InlineSpecs;
  /** Providers by the name in `'<name>/<model>'`: settings of a built-in provider, or your own provider. */
  readonly providers?: Readonly<Record<string, ProviderConfig | ModelProvider>>;
  /**
   * Prices in US dollars per million tokens, by `'provider/model'`, for budgets and `costUsd`, and the windows of models for `context`.
   * They win over the list prices.
   */
  readonly prices?: PriceTable;
  /** Stores for state that outlives runs and for the turns of threads. You close them. */
  readonly stores?: Stores;
  /**
   * Keeps large results of tools, media, and large inputs. Their runs keep a reference, and models read the rest with `read_result`. All
   * workers and clients of a namespace need the same store. You close it.
   */
  readonly results?: ResultStore;
  /** Bytes of memory for cached logs of runs. The worker reads other logs again from the run. Default 64 MiB. */
  readonly logCacheBytes?: number;
  /** Called for every streamed delta of every model call of this worker. It must not block. */
  readonly onDelta?: (event: DeltaEvent) => void;
  /**
   * Gets the log lines of Longhaul and of the user's code in calls and in workflows, with the run, agent, turn and attempt. Default: the
   * logger of Temporal's `Runtime`.
   */
  readonly logger?: WorkerLogger;
  /** Carries model calls in progress to the readers of the run's stream, in this process or in others. You close it. */
  readonly deltas?: Deltas;
  /** Gets spans and metrics of runs, model calls and tools. */
  readonly telemetry?: Telemetry;
  /**
   * Called when a run begins to wait for a person or a result, for each reminder, and when more people may decide: send a message. It is
   * called at least once for each, with the same `idempotencyKey`. A call that fails is repeated for a day.
   */
  readonly onPause?: OnPause;
  /** Decides whether an answer is from the actor that it names. Only `true` accepts it. Without the hook, signatures are not checked. */
  readonly checkSignature?: CheckSignature;
  /** Gives the worker a version, for Temporal's Worker Versioning. Such a worker gets work once its version is current or ramping. */
  readonly workerDeployment?: WorkerDeployment;
};

export type CreateWorkerOptions = LonghaulOptions & {
  /** An open connection. Default: a new one, from `address`, `profile` and the `TEMPORAL_*` variables, as `connect` makes it. */
  readonly connection?: NativeConnection;
  readonly address?: string;
  readonly profile?: string;
  readonly namespace?: string;
  /** The task queue of workflows and activities. Default `longhaul`. */
  readonly taskQueue?: string;
  /** Temporal's own option, for instance for a payload converter. If it has codecs, it also needs a failure converter that encodes. */
  readonly dataConverter?: EncryptionOptions['dataConverter'];
  /** Other options of Temporal's worker. They win over Longhaul's. */
  readonly workerOptions?: Partial<WorkerOptions>;
};

/** The runners and the code that a worker with these options knows by name. */
export function workerRegistry(options: Omit<LonghaulOptions, 'specs' | 'overlays'>): Registry {
  const prices = priceTable(options.prices);
  return createRegistry({ ...options, windowOf: (model) => windowOf(prices, model) });
}

/** Checks the options of the plugin. Throws `SpecError` with all problems. */
export function checkLonghaulOptions(options: unknown): void {
  parseOptions(z.strictObject(ofLonghaul), options, {
    subject: 'LonghaulPlugin',
    code: workerOptionNames,
  });
}

/** Checks the options of `createWorker`. Throws `SpecError` with all problems. */
export function checkWorkerOptions(options: unknown): void {
  parseOptions(z.strictObject(ofWorker), options, {
    subject: 'createWorker',
    code: workerOptionNames,
  });
}
