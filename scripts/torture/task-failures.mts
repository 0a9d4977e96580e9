// Which workflow tasks in a history failed by a fault of ours, and which came to nothing for reasons that a run survives.

import type { fetchHistory } from 'longhaul/testing';

export type HistoryEvents = NonNullable<Awaited<ReturnType<typeof fetchHistory>>['events']>;

export type TaskFailures = {
  /** What the workflow's code failed, which a run survives only by luck. */
  readonly failed: readonly string[];
  /** Those that came too late. */
  readonly timedOut: number;
  /** Those in which a worker gave the answer to an update that another worker had given before. */
  readonly answeredAgain: number;
};

export function taskFailuresOf(events: HistoryEvents): TaskFailures {
  const failed: string[] = [];
  const answered = new Set<string>();
  let timedOut = 0;
  let answeredAgain = 0;
  for (const event of events) {
    answered.add(event.workflowExecutionUpdateCompletedEventAttributes?.meta?.updateId ?? '');
    const message = messageOf(event);
    if (event.workflowTaskTimedOutEventAttributes || isOutOfTime(message)) timedOut += 1;
    else if (isAnsweredAgain(message, answered)) answeredAgain += 1;
    else if (message !== '' && !isHarmless(message)) failed.push(message);
  }
  return { failed, timedOut, answeredAgain };
}

const messageOf = ({ workflowTaskFailedEventAttributes: task }: HistoryEvents[number]): string =>
  task?.failure?.message ?? '';

/** The SDK's own limit of a step, by the clock on the wall: it runs on while a worker is frozen. */
const isOutOfTime = (message: string): boolean => message.startsWith('Script execution timed out');

/** A worker of an older build than the run has met refuses it, until one of a newer build takes the task. */
export const wantsNewerBuild = (message: string): boolean =>
  /patch next-build-|A newer version of Longhaul wrote it/.test(message);

/**
 * A reset begins with a failed task of its own, and a run that would close while something arrives is asked again. A server that has just
 * come up does not know its namespace yet.
 */
const isHarmless = (message: string): boolean =>
  wantsNewerBuild(message) ||
  /reset|UnhandledCommand|^Fetching history failed: .*Namespace default is not found/i.test(
    message,
  );

/**
 * The task failed because its update had been answered. The SDK does so if a late query brings a worker a task that another one has. It
 * plays that task to answer the query, and keeps the update's answer for the next task that it gets itself. The server refuses that one,
 * and the task is done again.
 */
function isAnsweredAgain(message: string, answered: ReadonlySet<string>): boolean {
  const text =
    /^BadUpdateWorkflowExecutionMessage: invalid state transition attempted for Update (.+): received \*update\.Response message while in state Completed$/;
  const updateId = text.exec(message)?.[1];
  return updateId !== undefined && answered.has(updateId);
}
