// The tasks of a graph as its plan needs them: templates parsed, and who waits for whom. Pure.

import type { GraphFacts, GraphTaskFacts, RunnerPlace } from '../../protocol/activities';
import { InvalidInput } from '../../protocol/error-classes';
import { paramsOf, parseTemplate, tasksOf, type TemplatePart } from './template';

export type GraphTask = {
  readonly id: string;
  readonly place: RunnerPlace;
  /** In the order listed, each once. */
  readonly dependencies: readonly string[];
  /** The tasks it waits for: its dependencies, and those whose results its prompt uses. */
  readonly needs: readonly string[];
  /** The tasks that wait for it, in declaration order. */
  readonly neededBy: readonly string[];
  readonly prompt?: { readonly parts: readonly TemplatePart[]; readonly params: readonly string[] };
  readonly maxRetries: number;
};

/** By id, in declaration order. */
export type GraphTasks = ReadonlyMap<string, GraphTask>;

export function graphTasks(facts: GraphFacts): GraphTasks {
  if (facts.tasks.length === 0) throw new InvalidInput(`graph '${facts.id}' has no tasks`);
  const neededBy = new Map(facts.tasks.map(({ id }) => [id, [] as string[]]));
  const ids = new Set(neededBy.keys());
  const tasks = facts.tasks.map((task) => toTask(task, ids));
  for (const { id, needs } of tasks) {
    for (const need of needs) {
      const waiting = neededBy.get(need);
      if (waiting === undefined)
        throw new InvalidInput(
          `task '${id}' of '${facts.id}' waits for '${need}', which is no task`,
        );
      waiting.push(id);
    }
  }
  return new Map(
    tasks.map((task) => [task.id, { ...task, neededBy: neededBy.get(task.id) ?? [] }]),
  );
}

/** Tasks no other one depends on, in declaration order. */
export function sinksOf(tasks: GraphTasks): readonly string[] {
  return [...tasks.values()].flatMap(({ id, neededBy }) => (neededBy.length === 0 ? [id] : []));
}

function toTask(facts: GraphTaskFacts, ids: ReadonlySet<string>): Omit<GraphTask, 'neededBy'> {
  const { id, runner, kind, maxRetries = 0 } = facts;
  const dependencies = [...new Set(facts.dependencies ?? [])];
  const task = { id, place: kind === undefined ? { runner } : { runner, kind }, maxRetries };
  if (facts.prompt === undefined) return { ...task, dependencies, needs: dependencies };
  const { parts } = parseTemplate(facts.prompt, ids);
  const needs = [...new Set([...dependencies, ...tasksOf(parts)])];
  return { ...task, dependencies, needs, prompt: { parts, params: paramsOf(parts) } };
}
