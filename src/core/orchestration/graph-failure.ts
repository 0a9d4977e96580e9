// The error of a graph a task of which has failed: it names the task, and what became of the others. Pure.

import { defined } from '../../base/defined';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { clipText, oneLine } from '../../base/text';
import { fitItems, fitList } from './fit-list';
import type { GraphProgress } from './graph-progress';
import type { ChildFailure, PlanOutcome } from './plan';

/** The first task of a graph that failed for good. */
export type TaskFailure = Omit<ChildFailure, 'details'> & {
  readonly task: string;
  readonly details?: JsonObject;
};

const roomForReason = 1_000;
const roomForList = 300;
const roomForDetail = 500;
/** Of the details that the task's own failure came with. */
const roomForCause = 400;

export function taskFailure(
  task: string,
  { code, message, details = {} }: ChildFailure,
): TaskFailure {
  const reason = oneLine(message, roomForReason).replace(/\.$/, '');
  const kept = fitItems(
    Object.entries(details),
    roomForCause,
    ([name, value]) => `"${name}":${JSON.stringify(value)},`,
  );
  return {
    task,
    ...defined({ code }),
    message: reason,
    ...(kept.length > 0 && { details: Object.fromEntries(kept) as JsonObject }),
  };
}

/** With the code of the task's failure, and the details that belong to that code. */
export function graphFailed(first: TaskFailure, progress: GraphProgress): PlanOutcome {
  const failed = progress.tasksThat('failed');
  const ran = progress.tasksThat('done');
  const notStarted = progress.tasksThat('waiting', 'skipped');
  const reason = first.code === undefined ? first.message : `${first.code}: ${first.message}`;
  const message = [
    `Task '${first.task}' failed: ${reason}`,
    listed(
      'Failed, too',
      failed.filter((task) => task !== first.task),
    ),
    listed('Ran', ran) ?? 'No task ran to its end',
    listed('Not started', notStarted),
  ].filter((part) => part !== undefined);
  return {
    kind: 'failed',
    code: first.code ?? 'InternalError',
    message: clipText(`${message.join('. ')}.`, limits.failureMessage),
    details: {
      ...first.details,
      failed: fitting(failed),
      ran: fitting(ran),
      notStarted: fitting(notStarted),
    },
  };
}

function listed(title: string, tasks: readonly string[]): string | undefined {
  return tasks.length === 0 ? undefined : `${title}: ${fitList(tasks, ', ', roomForList)}`;
}

function fitting(tasks: readonly string[]): string[] {
  return [...fitItems(tasks, roomForDetail, (task) => `"${task}",`)];
}
