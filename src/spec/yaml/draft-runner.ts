import type { Json, JsonObject } from '../../protocol/json';
import { formatPath } from '../problem';
import { draftAgent } from './draft-agent';
import type { Draft, Drafting, DraftRef } from './draft';
import type { FieldPlaces, Path } from './field-places';
import type {
  FileGraph,
  FileParallel,
  FileRef,
  FileRunner,
  FileSequential,
  FileTask,
} from './file-values';
import { given } from './file-values';
import { readPrompt, type LoadedPrompt } from './read-prompt';

export type DraftPlace = {
  readonly path: Path;
  readonly places: FieldPlaces;
  readonly folder: string | undefined;
  readonly owner?: string;
};

export type RefReader = (ref: FileRef, path: Path) => string;

/** Adds a runner of a file to the drafts, and those that stand in it. */
export function draftRunner(runner: FileRunner, place: DraftPlace, drafting: Drafting): void {
  const refs: DraftRef[] = [];
  const readRef: RefReader = (ref, path) => {
    const inside = { ...place, path: [...place.path, ...path], owner: runner.id };
    const isInline = typeof ref === 'object' && !('ref' in ref);
    if (isInline) draftRunner(ref, inside, drafting);
    const id = typeof ref === 'string' ? ref : 'ref' in ref ? ref.ref : ref.id;
    refs.push({ id, path: typeof ref === 'object' && 'ref' in ref ? [...path, 'ref'] : path });
    return id;
  };
  const { path, places, owner } = place;
  const base = { id: runner.id, path, places, refs, ...(owner === undefined ? {} : { owner }) };
  const none = { tools: [], criteria: [] };
  if (runner.kind === undefined || runner.kind === 'agent') {
    drafting.drafts.push({ ...base, ...draftAgent(runner, { place, drafting, readRef }) });
  } else if (runner.kind === 'graph') {
    draftGraph(runner, { place, drafting, readRef }, (spec) => ({ ...base, ...none, spec }));
  } else {
    const spec = draftMembers(runner as FileSequential | FileParallel, readRef);
    drafting.drafts.push({ ...base, ...none, spec: spec as unknown as JsonObject });
  }
}

function draftMembers(runner: FileSequential | FileParallel, readRef: RefReader): object {
  if (runner.kind === 'sequential') {
    return { ...runner, steps: runner.steps.map((ref, index) => readRef(ref, ['steps', index])) };
  }
  const branches = runner.branches.map((ref, index) => readRef(ref, ['branches', index]));
  return { ...runner, branches };
}

export type RunnerContext = {
  readonly place: DraftPlace;
  readonly drafting: Drafting;
  readonly readRef: RefReader;
};

function draftGraph(
  graph: FileGraph,
  context: RunnerContext,
  toDraft: (spec: JsonObject) => Draft,
): void {
  const prompts = new Map<number, LoadedPrompt>();
  const tasks = graph.tasks.map((task, index) => {
    const prompt = promptOf(task, index, context);
    if (prompt !== undefined && Object.keys(prompt.agent).length > 0) prompts.set(index, prompt);
    const { runner, prompt: _, ...rest } = task;
    const id = context.readRef(runner, ['tasks', index, 'runner']);
    return given({ ...(rest as unknown as JsonObject), runner: id, prompt: prompt?.text });
  });
  const draft = toDraft({ ...(graph as unknown as JsonObject), tasks });
  context.drafting.drafts.push(draft);
  for (const [index, prompt] of prompts) {
    context.drafting.promptTasks.push({ graph: draft, index, prompt });
  }
}

function promptOf({ prompt }: FileTask, index: number, { place, drafting }: RunnerContext) {
  if (prompt === undefined) return undefined;
  const path = formatPath([...place.path, 'tasks', index, 'prompt', ...pathMember(prompt)]);
  return readPrompt(prompt, {
    folder: place.folder,
    env: drafting.env,
    problems: drafting.problems,
    refuse: (message) => drafting.problems.push(place.places.at(path, message)),
  });
}

/** The field of a text that names a file. */
function pathMember(value: Json | { readonly path: string }): readonly string[] {
  return typeof value === 'object' ? ['path'] : [];
}
