import { z } from 'zod';
import type { Problem } from '../../base';
import { rule } from '../problems/from-zod';
import { agentFields, agentSpecOf } from './agent';
import { graphParams, graphRules } from './graph-rules';
import { count, distinct, flag, fullText, help, list, runnerId, type Immutable } from './parts';

// Every field of an orchestration, and a runner of any kind as data.

/** The fields that every orchestration may have. */
const { description, sessionPrecedence, budget } = agentFields;
export const orchestrationFields = {
  id: runnerId.meta(help('The name of the orchestration; no other runner may have it')),
  description,
  sessionPrecedence,
  /** The limit for all runs below, together. */
  budget,
};

/** Runners that something runs: at least one. */
export function members<Item extends z.ZodType>(item: Item, name: string) {
  return list(item, 1000)
    .min(1)
    .meta({ expected: `an array of ${name}` });
}

export const sequentialFields = {
  ...orchestrationFields,
  /**
   * What a step gets: the pipeline's input (`false`, the default), the text of the step before it (`true`), or all texts of a
   * parallel before it (`'combined'`).
   */
  passOutput: z
    .literal([true, false, 'combined'])
    .meta(
      help(
        'What a step gets: the input of all (`false`), the text of the step before it (`true`), or all texts of a parallel before it (`combined`)',
        { byDefault: '`false`', see: 'orchestration.md#sequential' },
      ),
    )
    .exactOptional(),
};

export const parallelFields = {
  ...orchestrationFields,
  /** All results (`'collect_all'`, the default), or that of the branch that completes first. */
  merge: z
    .enum(['collect_all', 'first'])
    .meta(
      help('The results of all branches, or only of the branch that completes first', {
        byDefault: '`collect_all`',
      }),
    )
    .exactOptional(),
  /** With `merge: 'first'`: whether the other branches are cancelled. Default: they run to their end, and nothing of them is kept. */
  cancelRest: flag
    .meta(
      help('With `merge: first`: whether the other branches are cancelled', {
        byDefault: '`false`',
      }),
    )
    .exactOptional(),
  /** How many branches run at a time. Default 50. */
  concurrency: count(1)
    .meta(
      help('How many branches run at a time', {
        byDefault: '50',
        see: 'orchestration.md#parallel',
      }),
    )
    .exactOptional(),
};

export const taskPromptHelp = help(
  'What the runner gets: a template with `${input}`, `${task.output}`, `${task.structured.field}` and `${name}`',
  { byDefault: 'the input, and the results it waited for', see: 'orchestration.md#graph' },
);

export const taskFields = {
  id: runnerId.meta(help('The name of the task; no other task of the graph may have it')),
  /** Ids of the tasks that this one waits for. */
  dependencies: distinct(runnerId, 1000)
    .meta(help('Ids of the tasks whose results this one waits for'))
    .exactOptional(),
  /**
   * What the runner gets. `${input}` is the graph's input, `${task.output}` the text of a task it depends on,
   * `${task.structured.field}` a field of that task's JSON reply, and `${name}` a key of a dependency's JSON reply or of the session;
   * `$${` is a literal `${`. Default: the input and the results of the tasks it depends on.
   */
  prompt: fullText.meta(taskPromptHelp).exactOptional(),
  /** How often the task runs again after it failed. Default 0. */
  maxRetries: count(0)
    .meta(help('How often the task runs again after it failed', { byDefault: '0' }))
    .exactOptional(),
};

// Members of code and of files, which name runners in two ways.
export const stepsHelp = help('Runners, one after the other, with one session through all');
export const branchesHelp = help('Runners at the same time, each with a copy of the session');
export const tasksHelp = help('Tasks; each starts as soon as those it depends on are done');
export const taskRunnerHelp = help('Who does the task');

type Merging = { readonly merge?: unknown; readonly cancelRest?: unknown };

export function parallelRules({ merge, cancelRest }: Merging): Problem[] {
  if (cancelRest !== true || merge === 'first') return [];
  return [{ path: 'cancelRest', message: `has no effect unless merge is 'first'` }];
}

/** The id of a runner, or its whole spec where it travels along. */
const runnerRef: z.ZodType<RunnerRef> = z.lazy(() =>
  z.union([runnerId, runnerSpec]).meta({ expected: 'the id of a runner, or its spec' }),
);

const agentSpec = agentSpecOf(runnerRef);

const sequentialSpec = z.strictObject({
  kind: z.literal('sequential'),
  ...sequentialFields,
  steps: members(runnerRef, 'runners'),
});

const parallelSpec = z
  .strictObject({
    kind: z.literal('parallel'),
    ...parallelFields,
    branches: members(runnerRef, 'runners'),
  })
  .superRefine(rule(parallelRules));

const graphSpec = z
  .strictObject({
    kind: z.literal('graph'),
    ...orchestrationFields,
    tasks: members(z.strictObject({ ...taskFields, runner: runnerRef }), 'tasks'),
    /** Plain names the prompts use: keys of a dependency's JSON reply, or of the session. Derived from the prompts. */
    params: distinct(fullText, 1000).exactOptional(),
  })
  .superRefine(rule(graphRules))
  .transform((spec) => {
    const params = graphParams(spec.tasks);
    return params.length === 0 || spec.params !== undefined ? spec : { ...spec, params };
  });

/** A runner as data. */
export const runnerSpec: z.ZodType<RunnerSpec> = z.discriminatedUnion('kind', [
  agentSpec,
  sequentialSpec,
  parallelSpec,
  graphSpec,
]);

// The types of what runs pin, derived from the schemas. Runners name runners: these members are written by hand, because the types would be
// circular.

type SpecOf<Schema extends z.ZodType, Refs extends string> = Immutable<
  Omit<z.output<Schema>, Refs>
>;
type SubAgents = NonNullable<z.output<typeof agentSpec>['subAgents']>[number];
type Task = z.output<typeof graphSpec>['tasks'][number];

/** A runner offered to an agent as a tool. */
export interface SubAgentSpec extends Immutable<Omit<SubAgents, 'runner'>> {
  readonly runner: RunnerRef;
}

/** An agent as data. `tools` and `callbacks` are names of registered ones. */
export interface AgentSpec extends SpecOf<typeof agentSpec, 'subAgents'> {
  readonly subAgents?: readonly SubAgentSpec[];
}

/** One runner after the other, with one session through all. */
export interface SequentialSpec extends SpecOf<typeof sequentialSpec, 'steps'> {
  readonly steps: readonly RunnerRef[];
}

/** Runners at the same time, each with a copy of the session. */
export interface ParallelSpec extends SpecOf<typeof parallelSpec, 'branches'> {
  readonly branches: readonly RunnerRef[];
}

/** A task of a graph. */
export interface GraphTaskSpec extends Immutable<Omit<Task, 'runner'>> {
  readonly runner: RunnerRef;
}

/** Tasks, each of which starts as soon as those it depends on are done. */
export interface GraphSpec extends SpecOf<typeof graphSpec, 'tasks'> {
  readonly tasks: readonly GraphTaskSpec[];
}

/** An id, or the whole spec where it travels along. In a pinned definition runners name each other by id. */
export type RunnerRef = string | RunnerSpec;

/** A runner as data. */
export type RunnerSpec = AgentSpec | SequentialSpec | ParallelSpec | GraphSpec;
