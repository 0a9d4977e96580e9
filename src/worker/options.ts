import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { InlineSpecs } from '../activities/definition/inline-spec';
import type { DeltaEvent } from '../activities/dependencies';
import type { ModelProvider, ProviderConfig } from '../providers/provider';
import type { PriceTable } from '../providers/prices';
import type { Callbacks } from '../define/callbacks';
import type { CustomCriterion } from '../define/criteria';
import type { McpServer } from '../define/mcp-server';
import type { Runner } from '../define/runner';
import type { Tool } from '../define/tool';
import type { SpecsOptions } from '../define/files/add';
import type { EncryptionOptions } from '../server/encryption';
import type { Stores } from '../stores/memory-store';
import { z } from 'zod';
import { parseOptions } from '../define/options';
import { aFunction, count, made, nonBlank } from '../define/schema/parts';

/** Checked by the code that uses it. */
const elsewhere = z.unknown().optional();

const name = nonBlank('a text').exactOptional();

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
  logCacheBytes: count(1).exactOptional(),
  onDelta: aFunction().exactOptional(),
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

/** The code a worker has by name, and how it reaches models. */
export type LonghaulOptions = Base & {
  /**
   * The application whose code this is, 1 to 200 characters. Default: the task queue's name. Workers of two applications may share a
   * task queue, if each has a name of its own: neither runs the other's code.
   */
  readonly application?: string;
  readonly runners?: readonly Runner[];
  /** For agents that are only data, those of `specs` among them; the agents' own tools are registered by themselves. */
  readonly tools?: readonly Tool[];
  readonly criteria?: readonly CustomCriterion[];
  readonly callbacks?: readonly Callbacks[];
  readonly mcpServers?: readonly McpServer[];
  /**
   * Whether runs and threads may be started with a whole spec, which may call every tool, server, store and model of this worker.
   * Default false: such a start fails with `InlineSpecRefused`. A function is given each spec, and says.
   */
  readonly inlineSpecs?: InlineSpecs;
  /** By name, as in `'<name>/<model>'`: settings of a built-in provider, or a provider of your own. */
  readonly providers?: Readonly<Record<string, ProviderConfig | ModelProvider>>;
  /** What models cost, over the built-in list prices: for budgets in US dollars and the `costUsd` of results. */
  readonly prices?: PriceTable;
  /** State that outlives runs: what they start from, and where their session goes. They stay yours to close. */
  readonly stores?: Stores;
  /** Memory for the logs of the runs this worker serves; what does not fit is read again from the run. Default 64 MiB. */
  readonly logCacheBytes?: number;
  /** Every streamed delta of every model call of this worker. Must not block. */
  readonly onDelta?: (event: DeltaEvent) => void;
};

export type CreateWorkerOptions = LonghaulOptions & {
  /** An open connection; without it one is made from `TEMPORAL_*` and the profile, as `connect` does. */
  readonly connection?: NativeConnection;
  readonly address?: string;
  readonly profile?: string;
  readonly namespace?: string;
  /** Default `longhaul`. Workflows and activities share it: a turn needs no second poll. */
  readonly taskQueue?: string;
  /** Temporal's own way, for a payload converter for instance. Codecs in it need a failure converter that encodes, too. */
  readonly dataConverter?: EncryptionOptions['dataConverter'];
  /** Any further option of Temporal's worker; what is set here wins. */
  readonly workerOptions?: Partial<WorkerOptions>;
};

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
