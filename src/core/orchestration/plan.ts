import type { RunnerPlace } from '../../protocol/activities';
import type { ErrorCode, ErrorDetails } from '../../protocol/errors';
import type { JsonObject } from '../../base';
import type { AgentRunResult, ChildResult, RunInput } from '../../protocol/run';

/** The input and session at the start of an orchestration. */
export type PlanStart = { readonly input: RunInput['input']; readonly session: JsonObject };

/** A child that may start. */
export type PlannedChild = RunnerPlace & {
  /** Unique in the plan, also for each attempt of a task. */
  readonly key: string;
  /** Its place in the path: `branch-2`. */
  readonly element: string;
  readonly input: RunInput['input'];
  /** The session at its start. */
  readonly session: JsonObject;
};

export type ChildFailure = {
  /** Absent if the failure is not an error of Longhaul. */
  readonly code?: ErrorCode;
  readonly message: string;
  /** Details of the failure, such as the kind of a provider's error. */
  readonly details?: ErrorDetails;
};

/** A result without the parts that the run adds: the spending and the session. */
export type PlanResult = Omit<AgentRunResult, 'usage' | 'costUsd' | 'session'>;

export type PlanOutcome =
  | { readonly kind: 'complete'; readonly result: PlanResult }
  /** The plan fails with the failure of the child `cause`, or with its own error. */
  | { readonly kind: 'failed'; readonly cause: string }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details?: JsonObject;
    };

/**
 * Decides which children of an orchestration run when, and with what input. It also decides the result. Pure. It does not know workflows
 * or concurrency: the run starts ready children, and reports their results in the order in which they happened.
 */
export interface Plan {
  /** Children that may start now and that nobody has taken yet, in order. Empty after the outcome. */
  readonly ready: readonly PlannedChild[];
  /** How many children are ready. They share the rest of the budget. Later children get the part that they leave. */
  readonly toStart: number;
  /** Call it when the child has started. */
  take(key: string): void;
  completed(key: string, result: ChildResult): void;
  failed(key: string, failure: ChildFailure): void;
  /** The outcome is set once and never changes. Children may still be open then. */
  readonly outcome: PlanOutcome | undefined;
  /** True if the open children should be cancelled, because the outcome or a coming failure does not need them. */
  readonly cancelsRest: boolean;
  /** The session now. When the plan is complete, this is the session of the result. */
  readonly session: JsonObject;
  /** Cuts the long texts so that all texts fit into `maxBytes`. Call it before storing a plan in little room. */
  shorten(maxBytes: number): void;
  /** Plain JSON to continue from, with the same config. Call it only while no child is open. */
  toJSON(): JsonObject;
}
