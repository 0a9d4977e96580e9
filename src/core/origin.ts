/*
 * The origin of a run: its place in the tree below the run that a person or a program started. Idempotency keys derive from it. Pure.
 *
 * 1. Two runs have the same origin only if one repeats the other: after a reset, or as another attempt of the same task.
 * 2. It is not random and does not depend on the execution. A run that is started again at the same place has the same origin.
 */

/** The facts about a workflow's execution that Temporal gives. */
export type ExecutionIds = {
  readonly workflowId: string;
  readonly firstExecutionRunId: string;
  /** A reset keeps this id. Continue-as-new does not. */
  readonly originalExecutionRunId: string;
  readonly cronSchedule?: string;
};

/** The origin of a root run: its id and its first execution. Each execution of a cron schedule has its own. */
export function rootOrigin(execution: ExecutionIds): string {
  const { workflowId, firstExecutionRunId, originalExecutionRunId, cronSchedule } = execution;
  const first = cronSchedule === undefined ? firstExecutionRunId : originalExecutionRunId;
  return JSON.stringify([workflowId, first]);
}

/** The origin of a user's own workflow, which counts the runs that it starts. */
export function callerOrigin({ workflowId, originalExecutionRunId }: ExecutionIds): string {
  return JSON.stringify([workflowId, originalExecutionRunId]);
}

/** Joins texts as JSON, so that the end of each one is clear. */
export function originBelow(origin: string, ...places: readonly string[]): string {
  return origin + places.map((place) => JSON.stringify(place)).join('');
}
