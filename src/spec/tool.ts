import type { Json, JsonObject } from '../base/json';
import type { ToolSpec } from '../protocol/spec';
import type { Problem } from './problem';

/** Structured log of a tool call; goes to the worker's logger with the run's workflow id. */
export type ToolLog = {
  debug(message: string, attributes?: JsonObject): void;
  info(message: string, attributes?: JsonObject): void;
  warn(message: string, attributes?: JsonObject): void;
  error(message: string, attributes?: JsonObject): void;
};

/** What a tool's code is given besides its arguments. */
export type ToolContext = {
  readonly workflowId: string;
  readonly agentId: string;
  /** The way from the topmost run to this agent, such as `pipeline/research/branch-2`. */
  readonly path: string;
  readonly callId: string;
  /** The same over attempts, continue-as-new and reset: pass it to services that refuse duplicates. */
  readonly idempotencyKey: string;
  /** The session keys the tool declares; changes are merged into the session when the call succeeds. */
  readonly session: JsonObject;
  /** Given when the run was started, empty if nothing was; the model never sees it. */
  readonly context: JsonObject;
  /** Aborted when the run is cancelled, the call times out or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Tells the server that the call is alive; `details` are kept with the attempt. */
  readonly heartbeat: (details?: Json) => void;
  readonly log: ToolLog;
};

/** What a `needsApproval` function is given besides the arguments. It runs before the call does. */
export type ApprovalContext = Pick<
  ToolContext,
  'workflowId' | 'agentId' | 'path' | 'callId' | 'session' | 'context' | 'log'
>;

export type ArgumentsCheck =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A tool: its data, which runs pin, and its code, which stays on the worker. Made by `defineTool`. */
export interface Tool<Args = unknown> {
  readonly kind: 'tool';
  readonly name: string;
  readonly spec: ToolSpec;
  /** Replaces another tool of its name that was registered before it. */
  readonly override: boolean;
  /** Runs the tool with checked arguments. The result must be JSON; whoever calls checks it. */
  execute(args: Args, context: ToolContext): unknown;
  /** Decides per call; there exactly when `spec.needsApproval` is `'ask'`. */
  needsApproval?(args: Args, context: ApprovalContext): boolean | Promise<boolean>;
  /** The arguments as `execute` expects them, or what is wrong with them. Never throws. */
  validateArguments(args: Json): Promise<ArgumentsCheck>;
}
