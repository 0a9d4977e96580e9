import type { AgentsSource } from '../session/agents-source';
import type { CliError } from '../cli-error';
import type { ConnectionFlags } from '../session/connection';

/** What the worker's process is told when it starts, as JSON on its command line. */
export type WorkerStart = {
  readonly source: AgentsSource;
  /** A server without TLS, whatever the environment says. */
  readonly server?: { readonly address: string };
  /** Of the command, for any other server: the rest is in the environment and Temporal's configuration file. */
  readonly connection?: ConnectionFlags;
  readonly namespace: string;
  readonly taskQueue?: string;
};

/** A worker that takes work. */
export type ReadyWorker = {
  readonly agents: readonly string[];
  readonly taskQueue: string;
};

/** What the worker's process says. `files`: the modules and specs that its agents come from. */
export type WorkerMessage =
  | ({ readonly kind: 'ready'; readonly files: readonly string[] } & ReadyWorker)
  | { readonly kind: 'failed'; readonly error: CliError; readonly files: readonly string[] };

/** What it is told: to end its calls in flight and go. `quiet` when its server goes as well and complaints say nothing. */
export type WorkerCommand = { readonly kind: 'stop'; readonly quiet: boolean };
