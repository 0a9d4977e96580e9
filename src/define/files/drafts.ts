import type { z } from 'zod';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../base';
import type { RunnerSpec } from '../../protocol';
import { anyRunnerFile, documentFile, isInline, runnerFiles, workflowFile } from '../schema/file';
import { parse } from '../problems/from-zod';
import {
  check,
  parsePath,
  problemAt,
  type At,
  type Path,
  type Reading,
  type Source,
} from './places';
import { readPrompt, readPromptText, type LoadedPrompt } from './prompts';

type RunnerKind = RunnerSpec['kind'];

/** A runner named by another one. The path leads to it from that one. */
export type DraftRef = { readonly id: string; readonly path: Path; readonly isInline: boolean };

/** A runner of a file: its fields by our own names, in which texts and models are read and runners are named by their ids. */
export type Draft = {
  readonly id: string;
  readonly kind: RunnerKind;
  readonly at: At;
  readonly fields: JsonObject;
  readonly refs: readonly DraftRef[];
  /** The runner it stands in. Only that one can name it. */
  readonly owner?: string | undefined;
  /** Paths of fields with problems. */
  readonly wrong: readonly string[];
  /** Nothing in it is wrong by itself. */
  readonly isSound: boolean;
  /** The fields without problems, for the rules across them. Absent if nothing can be said about them. */
  readonly right?: JsonObject | undefined;
};

/** A task whose prompt file says more than the prompt. */
type PromptTask = {
  readonly graph: Draft;
  readonly index: number;
  readonly agent: JsonObject;
};

export type Drafting = {
  readonly reading: Reading;
  /** Gets the path of every prompt file. */
  readonly promptFiles: string[];
};

type Document = { readonly source: Source; readonly folder: string | undefined };

/** The runners of documents. */
export function draftRunners(documents: readonly Document[], drafting: Drafting): readonly Draft[] {
  const drafts: Draft[] = [];
  const promptTasks: PromptTask[] = [];
  for (const { source, folder } of documents) {
    const { agents, workflows } = readDocument(source, drafting.reading);
    const drafter = new Drafter({ ...drafting, source, folder, drafts, promptTasks });
    agents.forEach((agent, index) =>
      drafter.draft(agent, ['agents', index], { section: 'agents' }),
    );
    workflows.forEach((workflow, index) =>
      drafter.draft(workflow, ['workflows', index], { section: 'workflows' }),
    );
  }
  return withPromptAgents(drafts, promptTasks, drafting.reading);
}

function readDocument(source: Source, reading: Reading) {
  const { value } = source;
  const before = reading.problems.length;
  check(documentFile, { source, path: [] }, reading);
  const list = (section: string): readonly Json[] => {
    const found = isJsonObject(value) ? value[section] : undefined;
    return Array.isArray(found) ? found : [];
  };
  const sections = { agents: list('agents'), workflows: list('workflows') };
  const isEmpty = [...sections.agents, ...sections.workflows, ...list('tools')].length === 0;
  if (isEmpty && reading.problems.length === before && reading.places.isWhole(value)) {
    const message = 'needs agents, workflows or tools';
    reading.problems.push(problemAt(source.mark.value, '', message));
  }
  return sections;
}

type DraftContext = Drafting &
  Document & { readonly drafts: Draft[]; readonly promptTasks: PromptTask[] };

type Standing = { readonly section?: 'agents' | 'workflows'; readonly owner?: string };

/** Drafts the runners of one document. */
class Drafter {
  readonly #context: DraftContext;

  constructor(context: DraftContext) {
    this.#context = context;
  }

  /** A runner, and those that stand in it. */
  draft(value: Json, path: Path, { section, owner }: Standing): void {
    if (!isJsonObject(value)) return;
    const { source, reading, drafts, promptTasks } = this.#context;
    const at = { source, path };
    const checked = check(schemaFor(value.kind, section), at, reading);
    const { wrong } = checked;
    const kind = section === 'agents' ? 'agent' : kindOf(value.kind);
    const runners = runnersIn(kind, value);
    for (const [inside, runner] of runners) {
      const owned = { owner: textOf(value.id) };
      if (isInline(runner)) this.draft(runner, [...path, ...inside], owned);
    }
    // Without an id nothing more can be said of it.
    if (typeof value.id !== 'string' || wrong.includes('id')) return;
    const before = reading.problems.length;
    const parsed = checked.value as JsonObject;
    const { fields, prompts = [] } = this.#fieldsOf(kind, parsed, path);
    const isRead = reading.problems.length === before && reading.places.isWhole(value);
    const isSound = wrong.length === 0 && isRead;
    const right = isRead ? rightFields(kind, checked, value) : undefined;
    const refs = runners.flatMap(([inside, runner]) => refOf(runner, inside));
    const named = { id: value.id, kind: kind ?? ('agent' as const), at, fields, refs, owner };
    const draft: Draft = { ...named, wrong, isSound, right };
    drafts.push(draft);
    promptTasks.push(...prompts.map((prompt) => ({ graph: draft, ...prompt })));
  }

  /** With texts and models read. Of an unknown kind only the id is known. */
  #fieldsOf(kind: RunnerKind | undefined, value: JsonObject, path: Path): DraftFields {
    if (kind === undefined) return { fields: { id: value.id ?? null } };
    if (kind === 'agent') return { fields: this.#agentFields(value, path) };
    if (kind !== 'graph') return { fields: value };
    const prompts: Omit<PromptTask, 'graph'>[] = [];
    const tasks = itemsOf(value.tasks).map((task, index) => {
      const prompt = isJsonObject(task)
        ? this.#prompt(task.prompt, [...path, 'tasks', index])
        : undefined;
      if (!isJsonObject(task) || prompt === undefined) return task;
      if (Object.keys(prompt.agent).length > 0) prompts.push({ index, agent: prompt.agent });
      return { ...task, prompt: prompt.text };
    });
    return { fields: { ...value, tasks }, prompts };
  }

  #agentFields({ provider: _, ...fields }: JsonObject, path: Path): JsonObject {
    const { instructions } = fields;
    if (!isText(instructions)) return fields;
    const text = readPromptText(
      instructions,
      this.#promptContext([...path, 'instructions', 'path']),
    );
    return text === undefined ? fields : { ...fields, instructions: text };
  }

  #prompt(prompt: Json | undefined, task: Path): LoadedPrompt | undefined {
    if (!isText(prompt)) return undefined;
    return readPrompt(prompt, this.#promptContext([...task, 'prompt', 'path'])) ?? unread;
  }

  /** `path` leads to the field that names the file. */
  #promptContext(path: Path) {
    const { source, folder, reading, promptFiles } = this.#context;
    const refuse = (message: string) => {
      reading.problems.push(...reading.places.locate({ source, path }, { message }));
    };
    return { folder, reading, promptFiles, refuse };
  }
}

type DraftFields = {
  readonly fields: JsonObject;
  readonly prompts?: readonly Omit<PromptTask, 'graph'>[];
};

/** In place of a prompt file that could not be read, which may have named the model of the agent: one problem is reported, not two. */
const unread: LoadedPrompt = {
  text: 'unread',
  agent: { model: { provider: 'unread', model: 'unread' } },
};

/**
 * The fields that are right by themselves, as the schema makes them. Only of an agent: other runners have few rules. Absent if the agent
 * has a field that is not known, because that may be any of the others, misspelt.
 */
function rightFields(
  kind: RunnerKind | undefined,
  { wrong }: Pick<Draft, 'wrong'>,
  value: JsonObject,
): JsonObject | undefined {
  if (kind !== 'agent') return undefined;
  const names = wrongFields(wrong);
  if (names.some((name) => !Object.hasOwn(runnerFiles.agent.shape, name))) return undefined;
  const rest = Object.entries(value).filter(([name]) => !names.includes(name));
  const parsed = parse(runnerFiles.agent, Object.fromEntries(rest));
  return parsed.ok ? parsed.value : undefined;
}

/** The names of the fields in which something is wrong. */
export function wrongFields(wrong: readonly string[]): readonly string[] {
  return wrong.map((path) => String(parsePath(path)[0]));
}

function schemaFor(kind: Json | undefined, section: Standing['section']): z.ZodType {
  if (section === 'workflows') return workflowFile;
  return section === 'agents' || kind === undefined ? runnerFiles.agent : anyRunnerFile;
}

function kindOf(kind: Json | undefined): RunnerKind | undefined {
  if (kind === undefined) return 'agent';
  return typeof kind === 'string' && Object.hasOwn(runnerFiles, kind)
    ? (kind as RunnerKind)
    : undefined;
}

/** The runners that a runner names, or that stand in it, with their paths. */
function runnersIn(
  kind: RunnerKind | undefined,
  value: JsonObject,
): readonly (readonly [Path, Json])[] {
  if (kind === undefined) return [];
  const member = { agent: 'subAgents', sequential: 'steps', parallel: 'branches', graph: 'tasks' }[
    kind
  ];
  const isDirect = kind === 'sequential' || kind === 'parallel';
  return itemsOf(value[member]).flatMap((item, index): (readonly [Path, Json])[] => {
    if (isDirect) return [[[member, index], item]];
    const runner = isJsonObject(item) ? item.runner : undefined;
    return runner === undefined ? [] : [[[member, index, 'runner'], runner]];
  });
}

/** The id of a runner, by its id, `{ref: id}` or the runner in its place. */
export function idOf(runner: unknown): string | undefined {
  const id = isJsonObject(runner) ? (runner.ref ?? runner.id) : runner;
  return typeof id === 'string' ? id : undefined;
}

function refOf(runner: Json, inside: Path): readonly DraftRef[] {
  const id = idOf(runner);
  const isRef = isJsonObject(runner) && !isInline(runner);
  const path = isRef ? [...inside, 'ref'] : inside;
  return id === undefined ? [] : [{ id, path, isInline: isInline(runner) }];
}

/**
 * A task whose prompt file names a model, a system prompt or a schema is run by an agent of its own: the agent of the task with what
 * the file says. An agent without a model that only serves such tasks is left out.
 */
function withPromptAgents(
  found: readonly Draft[],
  promptTasks: readonly PromptTask[],
  reading: Reading,
): readonly Draft[] {
  const bases = new Set<Draft>();
  let drafts = found;
  for (const {
    graph: { id: graphId },
    index,
    agent,
  } of promptTasks) {
    const graph = drafts.find(({ id, kind }) => id === graphId && kind === 'graph');
    const task = itemsOf(graph?.fields.tasks)[index] as JsonObject | undefined;
    const base = drafts.find(({ id }) => id === idOf(task?.runner));
    if (graph === undefined || task === undefined || base === undefined) continue;
    const at = { ...graph.at, path: [...graph.at.path, 'tasks', index] };
    if (base.kind !== 'agent') {
      const message =
        'has a prompt file with a model or a system prompt: only an agent can take it';
      reading.problems.push(...reading.places.locate(at, { message }));
      continue;
    }
    const merged: JsonObject = { ...base.fields, ...agent };
    const names = Object.keys(runnerFiles.agent.shape).filter((name) => name in merged);
    const fields = Object.fromEntries(names.map((name) => [name, merged[name] ?? null]));
    if (canonicalJson(fields) === canonicalJson(base.fields)) continue;
    bases.add(base);
    const id = `${graph.id}.${textOf(task.id)}`;
    const own = { ...base, id, at, owner: graph.id, fields: { ...fields, id } };
    drafts = [
      ...drafts.map((draft) => (draft === graph ? withRunner(graph, index, id) : draft)),
      own,
    ];
  }
  const named = new Set(drafts.flatMap(({ refs }) => refs.map(({ id }) => id)));
  return drafts.filter(
    (draft) => draft.fields.model !== undefined || !bases.has(draft) || named.has(draft.id),
  );
}

/** The graph with another runner for one of its tasks. */
function withRunner(graph: Draft, index: number, runner: string): Draft {
  const tasks = itemsOf(graph.fields.tasks).map((task, at) =>
    at === index ? { ...(task as JsonObject), runner } : task,
  );
  const refs = graph.refs.map((ref) => (ref.path[1] === index ? { ...ref, id: runner } : ref));
  return { ...graph, fields: { ...graph.fields, tasks }, refs };
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** As far as can be said of a value that may be wrong. */
function isText(value: Json | undefined): value is Json {
  return typeof value === 'string' || (isJsonObject(value) && typeof value.path === 'string');
}
