import type { PendingInput, RunnerSpec, RunStatus, Usage } from '../../../protocol';

/** `open`: it has not ended. */
export type TraceStatus = 'completed' | 'failed' | 'cancelled' | 'open';

/** When something began, and how long it took. */
type TraceTime = {
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds until its end, or until now if it is open. */
  readonly ms: number;
};

/** An activity. Of its attempts, history keeps the number, the last start and the last failure: not their times, tokens and dollars. */
export type TraceCall = TraceTime & {
  readonly status: TraceStatus;
  /** 0 if no worker has taken it yet. */
  readonly attempts: number;
  /** Milliseconds that it waited for a worker. Only if its first attempt was the last one. */
  readonly waitMs?: number;
  /** Milliseconds of the last attempt, once it has ended. */
  readonly attemptMs?: number;
  /** The failure of the call; of its last attempt, if a later one is under way or gave the result. */
  readonly error?: string;
};

/** What a call cost. Absent members: the provider did not report them, or the worker does not know the price. */
export type TraceCost = { readonly usage?: Usage; readonly costUsd?: number };

/** A model call. */
export type TraceChat = TraceCall &
  TraceCost & {
    readonly kind: 'chat';
    /** `provider/model`. Absent if the call has no result and the definition is unknown. */
    readonly model?: string;
    readonly turn: number;
  };

/** A model call that summarised older turns. */
export type TraceSummary = TraceCall & TraceCost & { readonly kind: 'summary' };

/** A tool call. `isError`: the model got `error` in place of a result. */
export type TraceTool = TraceCall & {
  readonly kind: 'tool';
  readonly name: string;
  readonly isError?: true;
};

/** A tool call that ran in the activity of the model call before it. History does not hold its times. */
export type TraceInlineTool = Pick<TraceTool, 'name' | 'isError' | 'error'> & {
  readonly kind: 'inline-tool';
};

/** An activity that is neither a model call nor a tool call, by its name: definitions, stores, hooks, notices. */
export type TraceWork = TraceCall & { readonly kind: 'work'; readonly name: string };

/** Time in which the run waited for an answer. */
export type TracePause = TraceTime & {
  readonly kind: 'pause';
  readonly asks: PendingInput['kind'];
  readonly inputId: string;
  readonly question: string;
  /** Absent while it is open. `ended`: without an answer, by its timeout or with the run. */
  readonly end?: 'answered' | 'approved' | 'rejected' | 'completed' | 'failed' | 'ended';
  /** The id of the actor who answered, if the answer named one. */
  readonly by?: string;
};

/** A run that this run called. */
export type TraceChild = { readonly kind: 'run'; readonly run: RunTrace };

export type TraceStep =
  TraceChat | TraceSummary | TraceTool | TraceInlineTool | TraceWork | TracePause | TraceChild;

/** A stretch of a run between two pauses of its own. Its steps are in the order of their starts, with the pauses after it at the end. */
export type TraceSegment = TraceTime & { readonly steps: readonly TraceStep[] };

/**
 * What a run and the runs below it did, when, and at what cost, from their histories alone. All executions of a continued run are one line.
 */
export type RunTrace = TraceTime & {
  readonly workflowId: string;
  readonly runner: string;
  readonly kind: RunnerSpec['kind'] | 'thread';
  /** The path from the root run. */
  readonly path: string;
  readonly status: RunStatus;
  /** More than 1 if the run continued as new. */
  readonly executions: number;
  /** Milliseconds in which the run itself waited for an answer. */
  readonly pausedMs: number;
  readonly error?: string;
  readonly segments: readonly TraceSegment[];
  /** Of the whole tree. */
  readonly usage: Usage;
  /** Of the whole tree in US dollars, without calls whose price is unknown. */
  readonly costUsd?: number;
  /** What is missing: runs that the server has deleted, payloads without a key, parts beyond the limits. */
  readonly gaps: readonly string[];
  /** The limit that ended the reading of this run. Its steps and totals are then not all. */
  readonly cut?: 'runs' | 'events';
};
