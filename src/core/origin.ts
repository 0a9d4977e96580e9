/*
 * Where a run stands below what a person or a program started first: what idempotency keys are made of. Pure.
 *
 * 1. No two runs have the same origin, but those that an execution started again after a reset, or another attempt at the same task.
 * 2. Nothing in it is random, or depends on the execution: what is started again at the same place has the same one.
 */

/** What Temporal tells of a workflow's execution. */
export type ExecutionIds = {
  readonly workflowId: string;
  readonly firstExecutionRunId: string;
  /** A reset keeps it; continue-as-new does not. */
  readonly originalExecutionRunId: string;
  readonly cronSchedule?: string;
};

/** Of a root run: its id and its first execution. Of each execution of a cron schedule it is another. */
export function rootOrigin(execution: ExecutionIds): string {
  const { workflowId, firstExecutionRunId, originalExecutionRunId, cronSchedule } = execution;
  const first = cronSchedule === undefined ? firstExecutionRunId : originalExecutionRunId;
  return JSON.stringify([workflowId, first]);
}

/** Of one execution of a workflow of the user's own, where the runs it starts are counted. */
export function callerOrigin({ workflowId, originalExecutionRunId }: ExecutionIds): string {
  return JSON.stringify([workflowId, originalExecutionRunId]);
}

/** Texts of JSON behind each other: where one ends is seen. */
export function originBelow(origin: string, ...places: readonly string[]): string {
  return origin + places.map((place) => JSON.stringify(place)).join('');
}
