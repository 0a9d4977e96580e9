import type { Json, JsonObject } from '../../base/json';
import { formatPath } from '../../base/problem';
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
import { entriesOf, given } from './file-values';
import { readPrompt, type LoadedPrompt } from './read-prompt';

export type DraftPlace = {
  readonly path: Path;
  readonly places: FieldPlaces;
  readonly folder: string | undefined;
  readonly owner?: string;
  readonly isSound: (path: Path) => boolean;
};

export type RefReader = (ref: FileRef | null | undefined, path: Path) => string;

/** Adds a runner of a file to the drafts, and those that stand in it. What could not be read is missing. */
export function draftRunner(runner: FileRunner, place: DraftPlace, drafting: Drafting): void {
  // Without it nothing can be said of the runner.
  if (typeof runner.id !== 'string') return;
  const refs: DraftRef[] = [];
  const readRef: RefReader = (ref, path) => {
    if (ref === null || ref === undefined) return '';
    const inside = { ...place, path: [...place.path, ...path], owner: runner.id };
    const isInline = typeof ref === 'object' && !('ref' in ref);
    if (isInline) draftRunner(ref, inside, drafting);
    const id = refText(ref);
    if (id === undefined) return '';
    refs.push({ id, path: typeof ref === 'object' && 'ref' in ref ? [...path, 'ref'] : path });
    return id;
  };
  const { path, places, owner } = place;
  const isSound = (member: string) => place.isSound([...path, member]);
  const base = {
    ...{ id: runner.id, path, places, refs },
    ...(owner !== undefined && { owner }),
    ...(!place.isSound(path) && { isSound }),
  };
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

function refText(ref: FileRef): string | undefined {
  if (typeof ref === 'string') return ref;
  return 'ref' in ref ? ref.ref : ref.id;
}

function draftMembers(runner: FileSequential | FileParallel, readRef: RefReader): object {
  if (runner.kind === 'sequential') {
    const steps = entriesOf(runner.steps).map(([index, ref]) => readRef(ref, ['steps', index]));
    return { ...runner, steps };
  }
  const branches = entriesOf(runner.branches).map(([index, ref]) =>
    readRef(ref, ['branches', index]),
  );
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
  const tasks = entriesOf(graph.tasks).map(([index, task]) => {
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

/** In place of a prompt file that could not be read, which may have named the agent's model: one problem is said, not two. */
const unread: LoadedPrompt = {
  text: 'unread',
  agent: { model: { provider: 'unread', model: 'unread' } },
};

function promptOf(
  { prompt }: FileTask,
  index: number,
  { place, drafting }: RunnerContext,
): LoadedPrompt | undefined {
  if (prompt === undefined) return undefined;
  const path = formatPath([...place.path, 'tasks', index, 'prompt', ...pathMember(prompt)]);
  const read = readPrompt(prompt, {
    folder: place.folder,
    env: drafting.env,
    problems: drafting.problems,
    promptFiles: drafting.promptFiles,
    refuse: (message) => drafting.problems.push(place.places.at(path, message)),
  });
  return read ?? unread;
}

/** The field of a text that names a file. */
function pathMember(value: Json | { readonly path: string }): readonly string[] {
  return typeof value === 'object' ? ['path'] : [];
}
