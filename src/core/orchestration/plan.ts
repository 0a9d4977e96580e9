import type { RunnerPlace } from '../../protocol/activities';
import type { ErrorCode, ErrorDetails } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import type { AgentRunResult, ChildResult, RunInput } from '../../protocol/run';

/** What an orchestration begins with. */
export type PlanStart = { readonly input: RunInput['input']; readonly session: JsonObject };

/** A child that may start. */
export type PlannedChild = RunnerPlace & {
  /** Tells it apart within the plan, a task's attempts included. */
  readonly key: string;
  /** Its place in the path: `branch-2`. */
  readonly element: string;
  readonly input: RunInput['input'];
  /** What its session starts from. */
  readonly session: JsonObject;
};

export type ChildFailure = {
  /** Left out where the failure is none of ours. */
  readonly code?: ErrorCode;
  readonly message: string;
  /** What the failure says beside its message, such as the kind of a provider's error. */
  readonly details?: ErrorDetails;
};

/** A result without what the run adds itself: what was spent, and the session. */
export type PlanResult = Omit<AgentRunResult, 'usage' | 'costUsd' | 'session'>;

export type PlanOutcome =
  | { readonly kind: 'complete'; readonly result: PlanResult }
  /** `cause` is the key of the child whose failure the plan fails with as it is; else the plan's own error. */
  | { readonly kind: 'failed'; readonly cause: string }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details?: JsonObject;
    };

/**
 * The order of an orchestration: which children run when, with what, and what comes of it. Pure; it knows neither workflows nor
 * concurrency: the run starts what is ready as it can, and tells what became of it in the order it happened.
 */
export interface Plan {
  /** Children that may start now and have not been taken yet, in order. None once there is an outcome. */
  readonly ready: readonly PlannedChild[];
  /** How many are ready: what is left of a budget is shared among them. What they leave is for those that come after them. */
  readonly toStart: number;
  /** The child was started. */
  take(key: string): void;
  completed(key: string, result: ChildResult): void;
  failed(key: string, failure: ChildFailure): void;
  /** Set once, for good. Children may still be open then. */
  readonly outcome: PlanOutcome | undefined;
  /** Whether the children still open are to be cancelled: the outcome, or a failure to come, needs none of them. */
  readonly cancelsRest: boolean;
  /** The session as it stands: what the orchestration leaves when it is complete. */
  readonly session: JsonObject;
  /** Before it is stored where there is little room: of the texts it holds, the long ones are cut to fit into `maxBytes` together. */
  shorten(maxBytes: number): void;
  /** Plain JSON, from which the plan of the same config goes on. Only with no child open. */
  toJSON(): JsonObject;
}
