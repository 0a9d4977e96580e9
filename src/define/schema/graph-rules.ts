import {
  paramsOf,
  parseTemplate,
  tasksOf,
  type Template,
  type TemplateProblem,
} from '../../core/orchestration/template';
import { describeValue, didYouMean, isJsonObject, type Problem, quote } from '../../base';

// Checks the rules of a graph beyond the shape of its fields.

type RuledTask = {
  readonly id: string;
  readonly dependencies?: readonly string[];
  readonly prompt?: string;
};

type RuledGraph = { readonly tasks: readonly RuledTask[]; readonly params?: readonly string[] };

/** Checks the rules of a graph that has the right shape: ids, dependencies, circles, and the references in prompts. */
export function graphRules(spec: RuledGraph): Problem[] {
  const { tasks } = spec;
  const links: TaskLinks = new Map(tasks.map(({ id, dependencies = [] }) => [id, dependencies]));
  const unsound = [
    ...tasks.flatMap((_task, index) => repeatedId(tasks, index)),
    ...tasks.flatMap((task, index) => dependencyProblems(task, `tasks[${index}]`, links)),
  ];
  const circle = unsound.length > 0 ? undefined : circleOf(links);
  const circular = {
    path: 'tasks',
    message: `depend on each other in a circle: ${circle?.join(' → ')}`,
  };
  return [
    ...unsound,
    ...(circle === undefined ? [] : [circular]),
    ...tasks.flatMap((task, index) => promptProblems(task, `tasks[${index}].prompt`, links)),
    ...paramsProblems(spec),
  ];
}

/** The plain names that the prompts of tasks use, sorted, each once. The tasks may be wrong in every way. */
export function graphParams(tasks: unknown): string[] {
  const candidates = Array.isArray(tasks) ? tasks.filter(isJsonObject) : [];
  const ids = new Set(candidates.flatMap(({ id }) => (typeof id === 'string' ? id : [])));
  const names = candidates.flatMap(({ prompt }) =>
    typeof prompt === 'string' ? paramsOf(parseTemplate(prompt, ids).parts) : [],
  );
  return [...new Set(names)].sort();
}

function repeatedId(tasks: readonly RuledTask[], index: number): Problem[] {
  const id = tasks[index]?.id ?? '';
  const first = tasks.findIndex((task) => task.id === id);
  if (first === index) return [];
  const message = `must not be ${quote(id)}: tasks[${first}] has that id, too`;
  return [{ path: `tasks[${index}].id`, message }];
}

function dependencyProblems(
  { id, dependencies = [] }: RuledTask,
  path: string,
  links: TaskLinks,
): Problem[] {
  return dependencies.flatMap((dependency, index) => {
    const place = `${path}.dependencies[${index}]`;
    if (dependency === id) return [{ path: place, message: `must not be the task itself` }];
    if (links.has(dependency)) return [];
    const known = [...links.keys()].filter((other) => other !== id);
    const message = `must be a task of the graph, not ${quote(dependency)}${didYouMean(dependency, known)}`;
    return [{ path: place, message }];
  });
}

function promptProblems({ id, prompt = '' }: RuledTask, path: string, links: TaskLinks) {
  const template = parseTemplate(prompt, new Set(links.keys()));
  const messages = [
    ...template.problems.map((problem) => templateMessage(problem, links)),
    ...unreachedTasks(id, template, links),
  ];
  return messages.map((message) => ({ path, message }));
}

function templateMessage(problem: TemplateProblem, links: TaskLinks): string {
  const reference = quote(problem.reference);
  switch (problem.kind) {
    case 'unclosed':
      return `has no '}' for ${reference}; a literal '\${' is written '$\${'`;
    case 'malformed':
      return `holds ${reference}, which is none of \${input}, \${task.output}, \${task.structured.field} and \${name}; a literal '\${' is written '$\${'`;
    case 'unknown-task':
      return `refers to the unknown task ${quote(problem.task)} in ${reference}${didYouMean(problem.task, links.keys())}`;
  }
}

/**
 * A result that a prompt uses must be there when the task starts. Most prompts use direct dependencies. Only for the others this searches
 * further.
 */
function unreachedTasks(id: string, { parts }: Template, links: TaskLinks): string[] {
  const direct = new Set(links.get(id));
  const others = tasksOf(parts).filter((task) => !direct.has(task));
  if (others.length === 0) return [];
  const reached = dependenciesOf(id, links);
  return others.flatMap((task) => {
    if (task === id) return [`refers to the task's own result`];
    if (reached.has(task)) return [];
    return [`refers to task ${quote(task)}, on which it does not depend: add it to dependencies`];
  });
}

function paramsProblems({ params, tasks }: RuledGraph): Problem[] {
  if (params === undefined) return [];
  const used = graphParams(tasks);
  if (JSON.stringify([...params].sort()) === JSON.stringify(used)) return [];
  const names = used.length === 0 ? 'none' : used.map(describeValue).join(', ');
  return [{ path: 'params', message: `must be the plain names the prompts use: ${names}` }];
}
/** What each task of a graph depends on, by id. */
type TaskLinks = ReadonlyMap<string, readonly string[]>;

/** All that a task depends on, through others, too. */
function dependenciesOf(id: string, links: TaskLinks): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(links.get(id) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(links.get(next) ?? []));
  }
  return reached;
}

/** Tasks that wait for each other, from one back to itself: each depends on the next. */
function circleOf(links: TaskLinks): readonly string[] | undefined {
  const sound = new Set<string>();
  for (const id of links.keys()) {
    const circle = circleFrom(id, { links, sound, path: [] });
    if (circle !== undefined) return circle;
  }
  return undefined;
}

type Search = {
  readonly links: TaskLinks;
  /** Tasks that no circle leads through. */
  readonly sound: Set<string>;
  readonly path: string[];
};

function circleFrom(id: string, search: Search): readonly string[] | undefined {
  const { links, sound, path } = search;
  if (sound.has(id)) return undefined;
  if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
  path.push(id);
  for (const dependency of links.get(id) ?? []) {
    const circle = circleFrom(dependency, search);
    if (circle !== undefined) return circle;
  }
  path.pop();
  sound.add(id);
  return undefined;
}
