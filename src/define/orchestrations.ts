import { z } from 'zod';
import { deepFreeze, defined, isPlainObject } from '../base';
import type { GraphSpec, ParallelSpec, RunnerRef, SequentialSpec } from '../protocol';
import { checkNesting } from './nesting';
import { parseOptions, refuseProblems, saidBy } from './options';
import {
  isRunner,
  runnerMakers,
  runnerSubject,
  type Graph,
  type Orchestration,
  type Parallel,
  type Runner,
  type Sequential,
} from './runner';
import { graphParams, graphRules } from './schema/graph-rules';
import {
  branchesHelp,
  members,
  orchestrationFields,
  parallelFields,
  parallelRules,
  sequentialFields,
  stepsHelp,
  taskFields,
  taskRunnerHelp,
  tasksHelp,
} from './schema/orchestration';
import { runnerId, unless, type Immutable } from './schema/parts';

const named = z.custom<Runner>(isRunner);
const runner = z
  .union([runnerId, named])
  .meta({ expected: `a runner (from ${runnerMakers}) or the id of one` });

export const sequentialOptions = z.strictObject({
  ...sequentialFields,
  steps: members(runner, 'runners').meta(stepsHelp),
});
export const parallelOptions = z.strictObject({
  ...parallelFields,
  branches: members(runner, 'runners').meta(branchesHelp),
});
const task = unless(
  isRunner,
  'must be {id, runner}, not the runner itself',
  z.strictObject({ ...taskFields, runner: runner.meta(taskRunnerHelp) }),
);
export const graphOptions = z.strictObject({
  ...orchestrationFields,
  tasks: members(task, 'tasks').meta(tasksHelp),
});

type Fields<Shape extends z.ZodRawShape> = Immutable<z.input<z.ZodObject<Shape>>>;

/** The options of `sequential`. */
export type SequentialOptions = Fields<typeof sequentialFields> & {
  /** Runners, or ids of runners that the worker knows. A runner may be there several times. */
  readonly steps: readonly (Runner | string)[];
};

/**
 * Runs one runner after the other, with one session for all. The result is the result of the last step.
 *
 * @example
 * const article = sequential({
 *   id: 'article',
 *   steps: [researcher, writer, editor],
 *   passOutput: true,
 * });
 */
export function sequential(options: SequentialOptions): Sequential {
  const subject = runnerSubject('sequential', saidBy(options, 'id'));
  const { steps, ...fields } = parseOptions(sequentialOptions, options, {
    subject,
    code: ['steps'],
  });
  const spec: SequentialSpec = { kind: 'sequential', ...fields, steps: steps.map(refOf) };
  return orchestrationOf(spec, steps);
}

/** The options of `parallel`. */
export type ParallelOptions = Fields<typeof parallelFields> & {
  /** Runners, or ids of runners that the worker knows. A runner may be there several times. */
  readonly branches: readonly (Runner | string)[];
};

/**
 * Runs runners at the same time. Each branch gets the same input and a copy of the session. Longhaul merges the changes of the session.
 *
 * @example
 * const review = parallel({
 *   id: 'review',
 *   branches: [security, cost, style],
 * });
 */
export function parallel(options: ParallelOptions): Parallel {
  const subject = runnerSubject('parallel', saidBy(options, 'id'));
  const code = ['branches'];
  const { branches, ...fields } = parseOptions(parallelOptions, options, { subject, code });
  const spec: ParallelSpec = { kind: 'parallel', ...fields, branches: branches.map(refOf) };
  refuseProblems(subject, parallelRules(spec));
  return orchestrationOf(spec, branches);
}

/** A task of `graph`. */
export type GraphTask = Fields<typeof taskFields> & {
  /** A runner, or the id of a runner that the worker knows. */
  readonly runner: Runner | string;
};

/** The options of `graph`. */
export type GraphOptions = Fields<typeof orchestrationFields> & {
  readonly tasks: readonly GraphTask[];
};

/**
 * Runs tasks. A task starts as soon as the tasks that it depends on are done.
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
  const subject = runnerSubject('graph', saidBy(options, 'id'));
  const given = isPlainObject(options) ? { ...options, tasks: plainTasks(options.tasks) } : options;
  const { tasks, ...fields } = parseOptions(graphOptions, given, { subject, code: ['tasks'] });
  const runners = tasks.map((task) => task.runner);
  const spec = graphSpecOf(
    fields,
    tasks.map((task) => ({ ...task, runner: refOf(task.runner) })),
  );
  refuseProblems(subject, graphRules(spec));
  return orchestrationOf(spec, runners);
}

/** The parameters of a graph are the names that its prompts use. */
export function graphSpecOf(
  fields: Omit<GraphSpec, 'kind' | 'tasks' | 'params'>,
  tasks: GraphSpec['tasks'],
): GraphSpec {
  const params = graphParams(tasks);
  return { kind: 'graph', ...fields, tasks, ...(params.length > 0 && { params }) };
}

/** In a task, too, an option that is `undefined` counts as absent. */
function plainTasks(tasks: unknown): unknown {
  if (!Array.isArray(tasks)) return tasks;
  return tasks.map((task: unknown) =>
    isPlainObject(task) && !isRunner(task) ? defined(task) : task,
  );
}

function refOf(given: Runner | string): RunnerRef {
  return typeof given === 'string' ? given : given.spec;
}

/** The orchestration of a spec, and of the runners that it names or holds. */
export function orchestrationOf<Spec extends SequentialSpec | ParallelSpec | GraphSpec>(
  candidate: Spec,
  given: readonly (Runner | string)[],
): Orchestration<Spec> {
  const spec = deepFreeze(candidate);
  checkNesting(spec);
  const runners = [...new Set(given.filter((one) => typeof one !== 'string'))];
  const { kind, id } = spec;
  return Object.freeze({ kind, id, spec, runners: Object.freeze(runners) });
}
