import type { GraphSpec } from '../protocol/spec';
import { createOrchestration } from './create-orchestration';
import { graphParams } from './graph-problems';
import { OptionReader } from './option-reader';
import {
  distinct,
  orchestrationOptions,
  readRunner,
  type NamedRunner,
  type OrchestrationOptions,
} from './orchestration-options';
import { isPlainObject } from '../base/plain-json';
import { readPlainOptions } from './plain-options';
import { describeValue } from './problem';
import { isRunner, type Graph, type Runner } from '../define/runner';

export type GraphTask = {
  readonly id: string;
  /** A runner, or the id of one that is registered elsewhere. */
  readonly runner: Runner | string;
  /** Ids of the tasks whose results this one waits for. */
  readonly dependencies?: readonly string[];
  /**
   * What the runner gets. `${input}` is the graph's input, `${task.output}` the text of a task it depends on,
   * `${task.structured.field}` a field of that task's JSON reply, and `${name}` a key of a dependency's JSON reply or of the session;
   * `$${` is a literal `${`. Default: the input and the results of the tasks it depends on.
   */
  readonly prompt?: string;
  /** How often the task runs again after it failed. Default 0. */
  readonly maxRetries?: number;
};

export type GraphOptions = OrchestrationOptions & {
  readonly tasks: readonly GraphTask[];
};

const taskOptions = ['id', 'dependencies', 'prompt', 'maxRetries'];

/**
 * Runs tasks, each as soon as those it depends on are done.
 *
 * @example
 * const invoice = graph({
 *   id: 'invoice',
 *   tasks: [
 *     { id: 'totals', runner: reader, prompt: 'Add up the items of invoice ${invoice_no}.' },
 *     { id: 'vendor', runner: reader, prompt: 'Name the vendor of invoice ${invoice_no}.' },
 *     {
 *       id: 'grade',
 *       runner: grader,
 *       dependencies: ['totals', 'vendor'],
 *       prompt: 'Is ${totals.output} plausible for ${vendor.output}?',
 *     },
 *   ],
 * });
 */
export function graph(options: GraphOptions): Graph {
  const reader = new OptionReader(options, [...orchestrationOptions, 'tasks']);
  const plain = readPlainOptions(reader, orchestrationOptions);
  const tasks = readTasks(reader);
  const params = graphParams(tasks?.map(({ task }) => task));
  const candidate = {
    kind: 'graph',
    ...plain,
    ...(tasks !== undefined && { tasks: tasks.map(({ task }) => task) }),
    ...(params.length > 0 && { params }),
  } as const;
  return createOrchestration<GraphSpec>(candidate, {
    reader,
    runners: distinct(tasks ?? []),
    subjectOf: taskOf,
  });
}

/** A task as data; `null` where it is none. */
type ReadTask = NamedRunner & { readonly task: object | null };

function readTasks(reader: OptionReader): readonly ReadTask[] | undefined {
  const tasks = reader.get('tasks');
  if (tasks === undefined) return undefined;
  if (Array.isArray(tasks)) {
    return tasks.map((task: unknown, index) => readTask(task, `tasks[${index}]`, reader));
  }
  reader.refuse('tasks', `must be an array of tasks, not ${describeValue(tasks)}`);
  return undefined;
}

function readTask(value: unknown, path: string, { problems }: OptionReader): ReadTask {
  if (isRunner(value)) {
    problems.push({ path, message: 'must be {id, runner}, not the runner itself' });
    return { task: null };
  }
  const reader = new OptionReader(value, [...taskOptions, 'runner'], { path, problems });
  if (!isPlainObject(value)) return { task: null };
  const { id, ...plain } = readPlainOptions(reader, taskOptions);
  const runner = reader.get('runner');
  const named = runner === undefined ? {} : readRunner(reader, 'runner', runner);
  const task = {
    ...(id !== undefined && { id }),
    ...(named.ref !== undefined && { runner: named.ref }),
    ...plain,
  };
  return { ...named, task };
}

/** A problem of one task does not hide those of the others. */
function taskOf(path: string): string {
  return path.split('.', 1)[0] ?? '';
}
