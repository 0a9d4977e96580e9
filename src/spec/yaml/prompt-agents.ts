import type { JsonObject } from '../../base/json';
import { canonicalJson } from '../../base/canonical-json';
import type { Draft, Drafting, DraftRef, PromptTask } from './draft';
import { formatPath } from '../../base/problem';

/**
 * A task whose prompt file names a model, a system prompt or a schema is run by an agent of its own: that of the task, with what
 * the file says. Agents that are there for such tasks alone, and have no model, are left out.
 */
export function resolvePromptTasks(drafting: Drafting): readonly Draft[] {
  const bases = new Set<Draft>();
  const drafts = [...drafting.drafts];
  for (const task of drafting.promptTasks) {
    const base = drafts.find(({ id }) => id === runnerOf(task).runner);
    if (base === undefined) continue;
    const own = ownAgent(base, task, drafting);
    if (own === undefined) continue;
    bases.add(base);
    drafts.push(own);
    renameRef(task, own.id);
  }
  const named = new Set(drafts.flatMap(({ refs }) => refs.map(({ id }) => id)));
  return drafts.filter(
    (draft) => draft.spec.model !== undefined || !bases.has(draft) || named.has(draft.id),
  );
}

function ownAgent(base: Draft, task: PromptTask, { problems }: Drafting): Draft | undefined {
  const { graph, index, prompt } = task;
  const path = [...graph.path, 'tasks', index];
  if (base.spec.kind !== 'agent') {
    const message = `has a prompt file with a model or a system prompt: only an agent can take it`;
    problems.push(graph.places.at(formatPath(path), message));
    return undefined;
  }
  const spec = { ...base.spec, ...(prompt.agent as unknown as JsonObject) };
  if (canonicalJson(spec) === canonicalJson(base.spec)) return undefined;
  const id = `${graph.id}.${runnerOf(task).id as string}`;
  return { ...base, id, path, places: graph.places, owner: graph.id, spec: { ...spec, id } };
}

function runnerOf({ graph, index }: PromptTask): JsonObject {
  return (graph.spec.tasks as JsonObject[])[index] ?? {};
}

function renameRef(task: PromptTask, id: string): void {
  runnerOf(task).runner = id;
  const refs = task.graph.refs as DraftRef[];
  const at = refs.findIndex(({ path }) => path[0] === 'tasks' && path[1] === task.index);
  const ref = refs[at];
  if (ref !== undefined) refs[at] = { ...ref, id };
}
