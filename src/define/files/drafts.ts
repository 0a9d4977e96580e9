// Makes a draft of each runner in the documents: its fields, checked by the schema alone, and the names that it uses. `links.ts` looks the
// names up later, and `build.ts` makes the runners.
//
// 1. `state` is how much of a draft later phases may check. So they report no second problem for a field that is wrong by itself.

import type { z } from 'zod';
import { canonicalJson, defined, isJsonObject, type Json, type JsonObject } from '../../base';
import type { RunnerSpec } from '../../protocol';
import { parse } from '../problems/from-zod';
import type { approvalData } from '../schema/approval';
import {
  anyRunnerFile,
  documentFile,
  isInline,
  nameOf,
  runnerFiles,
  workflowFile,
} from '../schema/file';
import { check, type At, type Checked, type Path, type Reading, type Source } from './places';
import { readPrompt, readText, type Prompt, type PromptFiles } from './prompts';

type RunnerKind = RunnerSpec['kind'];

/** A runner named by another one. The path leads to it from that one. */
export type DraftRef = { readonly id: string; readonly path: Path; readonly isInline: boolean };

/** `true`, or the rules as the file's schema made them. */
export type Asks = true | z.output<typeof approvalData>;

const codeLists = ['tools', 'callbacks', 'criteria', 'mcpServers'] as const;

export type CodeList = (typeof codeLists)[number];

/** A name of code in an agent. The path leads to it from that agent. */
export type CodeUse = {
  readonly list: CodeList;
  readonly name: string;
  readonly path: Path;
  readonly needsApproval: Asks | undefined;
};

/** A runner of a file. */
export type Draft = {
  readonly id: string;
  readonly kind: RunnerKind;
  readonly at: At;
  /** The runner that contains this one. Only the owner can name it. */
  readonly owner?: string | undefined;
  readonly refs: readonly DraftRef[];
  readonly uses: readonly CodeUse[];
  /**
   * `whole`: a runner can be made of its fields. `partial`: some fields are wrong, but rules across the others can be checked. `broken`: no
   * more checks are possible.
   */
  readonly state: 'whole' | 'partial' | 'broken';
  /**
   * The fields, by our own names. Texts and models are read, and runners are named by their ids. A partial agent has only its right fields.
   */
  readonly fields: JsonObject;
  /** Names of the fields with problems. */
  readonly wrong: readonly string[];
};

export type Use = CodeUse & { readonly draft: Draft };

/** The names of code in all drafts. */
export function usesOf(drafts: readonly Draft[]): readonly Use[] {
  return drafts.flatMap((draft) => draft.uses.map((use) => ({ ...use, draft })));
}

/** A task with a prompt file that has more than the prompt. */
type PromptTask = { readonly graph: string; readonly index: number; readonly agent: JsonObject };

export type Document = { readonly source: Source; readonly folder?: string | undefined };

/** The runners of documents. Adds the path of every prompt file to `promptFiles`. */
export function draftRunners(
  documents: readonly Document[],
  reading: Reading,
  promptFiles: string[],
): readonly Draft[] {
  const drafts: Draft[] = [];
  const promptTasks: PromptTask[] = [];
  for (const { source, folder } of documents) {
    const lists = readDocument(source, reading);
    const drafter = new Drafter(source, { folder, reading, promptFiles });
    for (const section of ['agents', 'workflows'] as const) {
      lists[section].forEach((item, index) => drafter.draft(item, [section, index], { section }));
    }
    drafts.push(...drafter.drafts);
    promptTasks.push(...drafter.promptTasks);
  }
  return withPromptAgents(drafts, promptTasks, reading);
}

function readDocument(source: Source, reading: Reading) {
  const { value, mark } = source;
  const { wrong } = check(documentFile, { source, path: [] }, reading);
  const list = (section: string) => (isJsonObject(value) ? itemsOf(value[section]) : []);
  const lists = { agents: list('agents'), workflows: list('workflows') };
  const isEmpty = [...lists.agents, ...lists.workflows, ...list('tools')].length === 0;
  if (isEmpty && wrong.length === 0 && reading.places.isWhole(value)) {
    reading.reportAt(mark.value, '', 'needs agents, workflows or tools');
  }
  return lists;
}

type Standing = { readonly section?: 'agents' | 'workflows'; readonly owner?: string };

/** Drafts the runners of one document. */
class Drafter {
  readonly drafts: Draft[] = [];
  readonly promptTasks: PromptTask[] = [];
  readonly #source: Source;
  readonly #files: PromptFiles;

  constructor(source: Source, files: PromptFiles) {
    this.#source = source;
    this.#files = files;
  }

  /** Drafts a runner, and the runners inside it. */
  draft(value: Json, path: Path, { section, owner }: Standing): void {
    if (!isJsonObject(value)) return;
    const { reading } = this.#files;
    const at = { source: this.#source, path };
    const checked = check(schemaFor(value.kind, section), at, reading);
    const kind = section === 'agents' ? 'agent' : kindOf(value.kind);
    const runners = runnersIn(kind, value);
    for (const [inside, runner] of runners) {
      const owned = { owner: textOf(value.id) };
      if (isInline(runner)) this.draft(runner, [...path, ...inside], owned);
    }
    const wrong = checked.wrong.map(([name]) => String(name));
    // Without an id, no more checks are possible.
    if (typeof value.id !== 'string' || wrong.includes('id')) return;
    const before = reading.problems.length;
    const read = this.#withTexts(kind, checked.value as JsonObject, at);
    const isRead = reading.problems.length === before && reading.places.isWhole(value);
    this.drafts.push({
      id: value.id,
      kind: kind ?? 'agent',
      at,
      owner,
      refs: runners.flatMap(([inside, runner]) => refOf(runner, inside)),
      uses: kind === 'agent' ? codeUses(read, checked.wrong) : [],
      wrong,
      ...usable(kind, { value, read, wrong, isRead }),
    });
  }

  /** The fields with the texts of their files. */
  #withTexts(kind: RunnerKind | undefined, fields: JsonObject, at: At): JsonObject {
    if (kind === 'agent') {
      const { provider: _, ...rest } = fields;
      const { instructions } = rest;
      if (!isText(instructions)) return rest;
      const text = readText(instructions, this.#files, within(at, ['instructions', 'path']));
      return text === undefined ? rest : { ...rest, instructions: text };
    }
    if (kind !== 'graph') return fields;
    const tasks = itemsOf(fields.tasks).map((task, index) => {
      if (!isJsonObject(task) || !isText(task.prompt)) return task;
      const file = within(at, ['tasks', index, 'prompt', 'path']);
      const { text, agent } = readPrompt(task.prompt, this.#files, file) ?? unread;
      const graph = textOf(fields.id);
      if (Object.keys(agent).length > 0) this.promptTasks.push({ graph, index, agent });
      return { ...task, prompt: text };
    });
    return { ...fields, tasks };
  }
}

/**
 * Replaces a prompt file that could not be read. The file may have named the model of the agent, so this has one: then one problem is
 * reported, not two.
 */
const unread: Prompt = {
  text: 'unread',
  agent: { model: { provider: 'unread', model: 'unread' } },
};

type ReadFields = {
  /** The fields as the file has them. */
  readonly value: JsonObject;
  /** The fields as the schema makes them, with their texts. */
  readonly read: JsonObject;
  readonly wrong: readonly string[];
  readonly isRead: boolean;
};

/**
 * The part of a draft that rules can check. With an unknown field there is none, because it may be any other field of the agent, misspelt.
 */
function usable(
  kind: RunnerKind | undefined,
  { value, read, wrong, isRead }: ReadFields,
): Pick<Draft, 'state' | 'fields'> {
  const broken = { state: 'broken', fields: read } as const;
  if (isRead && wrong.length === 0) return { state: 'whole', fields: read };
  if (kind === 'graph') return wrong.includes('tasks') ? broken : { ...broken, state: 'partial' };
  const isKnown = wrong.every((name) => Object.hasOwn(runnerFiles.agent.shape, name));
  if (kind !== 'agent' || !isRead || !isKnown) return broken;
  const rest = Object.entries(value).filter(([name]) => !wrong.includes(name));
  const parsed = parse(runnerFiles.agent, Object.fromEntries(rest));
  if (!parsed.ok) return broken;
  const { provider: _, ...fields } = parsed.value as JsonObject;
  return { state: 'partial', fields };
}

/** The names of code in an agent, without those in which something is wrong. */
function codeUses(fields: JsonObject, wrong: Checked['wrong']): readonly CodeUse[] {
  return codeLists.flatMap((list) =>
    itemsOf(fields[list]).flatMap((item, index): readonly CodeUse[] => {
      const name = codeName(list, item);
      const isWrong = wrong.some(
        ([field, at, member]) =>
          field === list &&
          at === index &&
          [undefined, 'name', 'kind', 'needsApproval'].includes(member as string | undefined),
      );
      if (name === undefined || isWrong) return [];
      const isInside = isJsonObject(item) && list !== 'callbacks';
      const path = isInside ? [list, index, 'name'] : [list, index];
      const asks = isJsonObject(item) ? (item.needsApproval as Asks | undefined) : undefined;
      return [{ list, name, path, needsApproval: asks }];
    }),
  );
}

function codeName(list: CodeList, item: Json): string | undefined {
  if (typeof item === 'string') return list === 'criteria' ? undefined : item;
  if (!isJsonObject(item) || (list === 'criteria' && item.kind !== 'custom')) return undefined;
  const name: unknown = nameOf(item);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function schemaFor(kind: Json | undefined, section: Standing['section']): z.ZodType {
  if (section === 'workflows') return workflowFile;
  return section === 'agents' || kind === undefined ? runnerFiles.agent : anyRunnerFile;
}

function kindOf(kind: Json | undefined): RunnerKind | undefined {
  if (kind === undefined) return 'agent';
  const isKnown = typeof kind === 'string' && Object.hasOwn(runnerFiles, kind);
  return isKnown ? (kind as RunnerKind) : undefined;
}

const runnerMembers = {
  agent: 'subAgents',
  sequential: 'steps',
  parallel: 'branches',
  graph: 'tasks',
};

/** The runners that a runner names, or that stand in it, with their paths. */
function runnersIn(
  kind: RunnerKind | undefined,
  value: JsonObject,
): readonly (readonly [Path, Json])[] {
  if (kind === undefined) return [];
  const member = runnerMembers[kind];
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
 * If the prompt file of a task names a model, a system prompt or a schema, the task gets a new agent: a copy of its agent with the fields
 * of the file. An agent without a model is left out if it only serves such tasks.
 */
function withPromptAgents(
  found: readonly Draft[],
  promptTasks: readonly PromptTask[],
  reading: Reading,
): readonly Draft[] {
  const drafts = [...found];
  const bases = new Set<Draft>();
  for (const { graph: graphId, index, agent } of promptTasks) {
    const at = drafts.findIndex(({ id, kind }) => id === graphId && kind === 'graph');
    const graph = drafts[at];
    const task = itemsOf(graph?.fields.tasks)[index] as JsonObject | undefined;
    const base = drafts.find(({ id }) => id === idOf(task?.runner));
    if (graph === undefined || task === undefined || base === undefined) continue;
    if (base.kind !== 'agent') {
      const message =
        'has a prompt file with a model or a system prompt: only an agent can take it';
      reading.report(graph.at, ['tasks', index], { message });
      continue;
    }
    const merged: JsonObject = { ...base.fields, ...agent };
    const names = Object.keys(runnerFiles.agent.shape);
    const fields = defined(Object.fromEntries(names.map((name) => [name, merged[name]])));
    if (canonicalJson(fields) === canonicalJson(base.fields)) continue;
    bases.add(base);
    const id = `${graph.id}.${textOf(task.id)}`;
    const own = { id, at: within(graph.at, ['tasks', index]), owner: graph.id };
    drafts[at] = withRunner(graph, index, id);
    drafts.push({ ...base, ...own, fields: { ...fields, id } });
  }
  const named = new Set(drafts.flatMap(({ refs }) => refs.map(({ id }) => id)));
  return drafts.filter((draft) => !lacksModel(draft) || !bases.has(draft) || named.has(draft.id));
}

/** The agent has no model, not even a wrong one. */
export function lacksModel({ fields, wrong }: Draft): boolean {
  return fields.model === undefined && !wrong.includes('model');
}

/** The graph with another runner for one of its tasks. */
function withRunner(graph: Draft, index: number, runner: string): Draft {
  const tasks = itemsOf(graph.fields.tasks).map((task, at) =>
    at === index ? { ...(task as JsonObject), runner } : task,
  );
  const refs = graph.refs.map((ref) => (ref.path[1] === index ? { ...ref, id: runner } : ref));
  return { ...graph, fields: { ...graph.fields, tasks }, refs };
}

function within({ source, path }: At, inside: Path): At {
  return { source, path: [...path, ...inside] };
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A rough check, because the value may be wrong. */
function isText(value: Json | undefined): value is Json {
  return typeof value === 'string' || (isJsonObject(value) && typeof value.path === 'string');
}
