// Prepares the tasks of a graph for its plan: it parses the templates, and finds which task waits for which. Pure.

import type { GraphConfig, GraphTaskConfig, RunnerPlace } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import { paramsOf, parseTemplate, tasksOf, type TemplatePart } from './template';
import { clipText, defined, type JsonObject, oneLine } from '../../base';
import { limits } from '../../protocol/limits';
import { fitItems, fitList } from './fit-list';
import type { ChildFailure, PlanOutcome } from './plan';

const roomForReason = 1_000;

const roomForList = 300;

const roomForDetail = 500;

/** Room for the details of the task's own failure. */
const roomForCause = 400;

export type PlannedTask = {
  readonly id: string;
  readonly place: RunnerPlace;
  /** The dependencies in the order listed, each once. */
  readonly dependencies: readonly string[];
  /** The tasks it waits for: its dependencies, and the tasks that its prompt uses the results of. */
  readonly needs: readonly string[];
  /** The tasks that wait for it, in declaration order. */
  readonly neededBy: readonly string[];
  readonly prompt?: { readonly parts: readonly TemplatePart[]; readonly params: readonly string[] };
  readonly maxRetries: number;
};

/** The tasks by id, in declaration order. */
export type GraphTasks = ReadonlyMap<string, PlannedTask>;

export function graphTasks(config: GraphConfig): GraphTasks {
  if (config.tasks.length === 0)
    throw new LonghaulError('InvalidInput', `graph '${config.id}' has no tasks`);
  const neededBy = new Map(config.tasks.map(({ id }) => [id, [] as string[]]));
  const ids = new Set(neededBy.keys());
  const tasks = config.tasks.map((task) => toTask(task, ids));
  for (const { id, needs } of tasks) {
    for (const need of needs) {
      const waiting = neededBy.get(need);
      if (waiting === undefined)
        throw new LonghaulError(
          'InvalidInput',
          `task '${id}' of '${config.id}' waits for '${need}', which is no task`,
        );
      waiting.push(id);
    }
  }
  return new Map(
    tasks.map((task) => [task.id, { ...task, neededBy: neededBy.get(task.id) ?? [] }]),
  );
}

/** The tasks that no other task depends on, in declaration order. */
export function sinksOf(tasks: GraphTasks): readonly string[] {
  return [...tasks.values()].flatMap(({ id, neededBy }) => (neededBy.length === 0 ? [id] : []));
}

function toTask(config: GraphTaskConfig, ids: ReadonlySet<string>): Omit<PlannedTask, 'neededBy'> {
  const { id, runner, kind, maxRetries = 0 } = config;
  const dependencies = [...new Set(config.dependencies ?? [])];
  const task = { id, place: kind === undefined ? { runner } : { runner, kind }, maxRetries };
  if (config.prompt === undefined) return { ...task, dependencies, needs: dependencies };
  const { parts } = parseTemplate(config.prompt, ids);
  const needs = [...new Set([...dependencies, ...tasksOf(parts)])];
  return { ...task, dependencies, needs, prompt: { parts, params: paramsOf(parts) } };
}

// The error of a graph with a failed task. It names the task, and reports how the other tasks ended.

/** The first task of a graph that failed for good. */
export type TaskFailure = Omit<ChildFailure, 'details'> & {
  readonly task: string;
  readonly details?: JsonObject;
};

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

/** How the tasks of a graph ended. */
type EndedTasks = Readonly<Record<'failed' | 'ran' | 'notStarted', readonly string[]>>;

/** The failure of a graph. It has the code of the task's failure and the details that belong to that code. */
export function graphFailed(
  first: TaskFailure,
  { failed, ran, notStarted }: EndedTasks,
): PlanOutcome {
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
