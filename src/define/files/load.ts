import { defined, quote } from '../../base';
import { LonghaulError } from '../../protocol';
import { criteria } from '../criteria';
import {
  checkLists,
  registeredCode,
  registeredRunners,
  type CodeOptions,
  type RegistryOptions,
} from '../registry';
import type { Agent, Runner } from '../runner';
import type { Tool } from '../tool';
import { buildRunners } from './build';
import { draftRunners, type Draft } from './drafts';
import { findSpecFiles, type SpecFile, type SpecSource } from './find';
import { withOurNames } from './names';
import { mergeOverlay } from './overlay';
import {
  Places,
  problemAt,
  sortProblems,
  specFilesError,
  startOf,
  type Environment,
  type Reading,
  type Source,
  type SpecProblem,
} from './places';
import { approvedTools, codeProblems, linkProblems, specCode, withStubs } from './references';
import { parseText } from './source';
import { toolsOf } from './tools';

/** The code that a spec names, its overlays and its environment. */
export type LoadSpecOptions = CodeOptions & {
  /**
   * Changes for an environment, applied in order. Each is a name (`'prod'` is `agents.prod.yaml` beside `agents.yaml`), a file, or text.
   */
  readonly overlays?: readonly SpecSource[];
  /** The values of `${env:NAME}`. Default: the environment of the process. */
  readonly env?: Environment;
};

/** The runners of a spec, in its order, without the runners that stand inside another one. */
export type Runners = {
  readonly ids: readonly string[];
  readonly all: readonly Runner[];
  get(id: string): Runner | undefined;
};

/**
 * Loads agents and workflows from a YAML or JSON file, from all files of a folder, from text, or from several of these as one spec.
 * Throws a `SpecError` that lists everything that is wrong, with file, line and column.
 *
 * @example
 * const runners = loadSpec('specs', { tools: [findOrder], overlays: ['prod'] });
 * const worker = await createWorker({ runners: runners.all });
 */
export function loadSpec(
  source: SpecSource | readonly SpecSource[],
  options: LoadSpecOptions = {},
): Runners {
  checkLists(options);
  // Refuses two of one name, as a worker does.
  registeredCode([], options);
  const { runners } = readSpecSet(source, options);
  return Object.freeze({
    ids: Object.freeze([...runners.keys()]),
    all: Object.freeze([...runners.values()]),
    get: (id: string) => runners.get(id),
  });
}

export type CheckSpecOptions = {
  /** Without it the names of code are not looked at. */
  readonly code?: CodeOptions;
  readonly overlays?: readonly SpecSource[];
  readonly env?: Environment;
};

export type SpecCheck = {
  /** Of the runners that others can name. */
  readonly ids: readonly string[];
  readonly problems: readonly SpecProblem[];
};

/** What a spec has, and everything that is wrong with it. */
export function checkSpec(
  source: SpecSource,
  { code, ...options }: CheckSpecOptions = {},
): SpecCheck {
  try {
    const { drafts, problems, files } = readSpecs(source, {
      ...options,
      ...code,
      missingCode: code === undefined ? 'ignored' : 'refused',
    });
    const named = drafts.filter(({ owner }) => owner === undefined);
    return { ids: named.map(({ id }) => id), problems: sortProblems(problems, files) };
  } catch (error) {
    // There is nothing to read.
    const problems = LonghaulError.is(error) ? error.details?.problems : undefined;
    if (!Array.isArray(problems)) throw error;
    return { ids: [], problems: problems as readonly SpecProblem[] };
  }
}

/** Runners of files, and where they come from. */
export type SpecSet = {
  /** By id, in the order of the files, without those that stand within others. */
  readonly runners: ReadonlyMap<string, Runner>;
  /** Those within others, too. */
  readonly ids: readonly string[];
  /** The files of the specs, of their overlays and of their prompts. */
  readonly files: readonly string[];
  /** Names that a stub stands in for. */
  readonly missing: readonly string[];
  /** Tools whose approval the specs ask for, each with what it became. */
  readonly approved: ReadonlyMap<Tool, Tool>;
  /** The tools that the specs define. */
  readonly tools: readonly Tool[];
  /** A problem of a runner's id, where it stands. */
  problemOf(id: string, message: string): SpecProblem;
};

/** Reads all of it or throws a `SpecError` with everything that is wrong. With `stubs`, code may be missing. */
function readSpecSet(
  source: SpecSource | readonly SpecSource[],
  { stubs = false, ...options }: LoadSpecOptions & { readonly stubs?: boolean },
): SpecSet {
  const missingCode = stubs ? 'stubbed' : 'refused';
  const read = readSpecs(source, { ...options, missingCode });
  const { drafts, problems, places, files, promptFiles } = read;
  if (problems.length > 0) throw specFilesError(problems, files);
  return {
    runners: read.runners,
    ids: drafts.map(({ id }) => id),
    files: [...files, ...promptFiles],
    missing: read.missing,
    approved: read.approved,
    tools: read.tools,
    problemOf: (id, message) => {
      const { at } = drafts.find((draft) => draft.id === id) as Draft;
      const [problem] = places.locate({ ...at, path: [...at.path, 'id'] }, { message });
      return problem as SpecProblem;
    },
  };
}

type ReadSpecOptions = LoadSpecOptions & {
  /** `ignored`: not even the approval of tools is looked at. */
  readonly missingCode: 'refused' | 'stubbed' | 'ignored';
};

function readSpecs(source: SpecSource | readonly SpecSource[], options: ReadSpecOptions) {
  const { overlays = [], env = process.env, missingCode } = options;
  const found = findSpecFiles(source, overlays);
  const reading: Reading = { env, places: new Places(), problems: [] };
  const { places, problems } = reading;
  const specs = readFiles(found.specs, reading);
  const changes = readFiles(found.overlays, reading);
  const isComplete = specs.isComplete && changes.isComplete;
  const documents = changes.documents.reduce((merged, { source: overlay }) => {
    const sources = merged.map((document) => document.source);
    const changed = mergeOverlay(sources, overlay, { reading, isComplete });
    return changed.map((one, index) => ({ ...merged[index], source: one }));
  }, specs.documents);
  const promptFiles: string[] = [];
  const renamed = documents.map(({ source: document, folder }) => ({
    source: withOurNames(document, reading),
    folder,
  }));
  const drafts = draftRunners(renamed, { reading, promptFiles });
  const links = linkProblems(drafts, { places, isComplete });
  const own = toolsOf(renamed, { registered: options.tools ?? [], reading });
  const given = specCode({ ...options, tools: [...(options.tools ?? []), ...own] });
  const filled = withStubs(given, drafts);
  if (missingCode !== 'ignored') {
    const code = missingCode === 'refused' ? given : filled.code;
    problems.push(...codeProblems(drafts, code, { places, isComplete }));
  }
  const tools = approvedTools(drafts, filled.code);
  const code = { ...filled.code, tools };
  const built = buildRunners(drafts, { code, places, isLinked: links.length === 0 });
  problems.push(...links, ...built.problems);
  return {
    drafts,
    problems,
    places,
    runners: built.runners,
    files: [...found.specs, ...found.overlays].map(({ name }) => name),
    promptFiles,
    missing: filled.missing,
    approved: changedTools(given.tools, tools),
    tools: own.map((tool) => tools.get(tool.name) ?? tool),
  };
}

type Document = { readonly source: Source; readonly folder?: string | undefined };

/** `isComplete`: every file holds something that could be read. */
function readFiles(files: readonly SpecFile[], reading: Reading) {
  const documents: Document[] = [];
  let isComplete = true;
  for (const { name, folder, content } of files) {
    const before = reading.problems.length;
    const sources = content.ok ? parseText(name, content.text, reading) : [];
    const message = content.ok
      ? 'has nothing in it: it needs agents, workflows or tools'
      : content.message;
    if (sources.length === 0) {
      isComplete = false;
      if (reading.problems.length === before) {
        reading.problems.push(problemAt(startOf(name), '', message));
      }
    }
    documents.push(...sources.map((source) => ({ source, folder })));
  }
  return { documents, isComplete };
}

function changedTools(
  given: ReadonlyMap<string, Tool>,
  tools: ReadonlyMap<string, Tool>,
): ReadonlyMap<Tool, Tool> {
  return new Map(
    [...given].flatMap(([name, tool]) => {
      const wanted = tools.get(name);
      return wanted === undefined || wanted === tool ? [] : [[tool, wanted]];
    }),
  );
}

/** Agents and workflows in files, beside those in code. */
export type SpecsOptions = {
  /** A folder, a file or text in YAML or JSON, or several of these, which make one spec. */
  readonly specs?: SpecSource | readonly SpecSource[];
  /** Changes for an environment, in order: the name of one, files, or text. As for `loadSpec`. */
  readonly overlays?: readonly SpecSource[];
};

export type AddedSpecs<Options> = {
  readonly options: Omit<Options, keyof SpecsOptions>;
  /** All files that were read. */
  readonly files: readonly string[];
  /** Names of code that a stub stands in for. */
  readonly missing: readonly string[];
};

/**
 * The options with the runners of their specs among the others. Throws a `SpecError` with everything that is wrong. With `stubs`
 * code may be missing: the result is looked at, and never run.
 */
export function addSpecs<Options extends RegistryOptions & SpecsOptions>(
  { specs, overlays, ...rest }: Options,
  { stubs = false }: { readonly stubs?: boolean } = {},
): AddedSpecs<Options> {
  if (specs === undefined) {
    if (overlays === undefined) return { options: rest, files: [], missing: [] };
    throw new LonghaulError('SpecError', 'overlays are given, but no specs that they could change');
  }
  const options: RegistryOptions = rest as RegistryOptions;
  checkLists(options);
  const { runners = [], tools } = options;
  const inCode = registeredRunners(runners);
  const agents = agentsIn(inCode.values());
  const code = codeOf(agents, options);
  const set = readSpecSet(specs, { ...code, ...defined({ overlays }), stubs });
  const added = [...set.runners.values()];
  const problems = [
    ...set.ids.flatMap((id) => takenId(id, inCode.placeOf(id), set)),
    ...agentsIn(registeredRunners(added).values()).flatMap((agent) => twoRules(agent, agents, set)),
  ];
  if (problems.length > 0) throw specFilesError(problems, set.files);
  const known = { runners: [...runners, ...added] };
  const approved = (tools ?? []).map((tool) => set.approved.get(tool) ?? tool);
  const registered = [...approved, ...set.tools];
  return {
    options: { ...rest, ...known, ...(registered.length > 0 && { tools: registered }) },
    files: set.files,
    missing: set.missing,
  };
}

/** The code that specs may name: what is registered by itself, and what the agents in code have. */
function codeOf(agents: readonly Agent[], options: RegistryOptions): CodeOptions {
  const ownCriteria = agents.flatMap((agent) =>
    [...agent.criteria].map(([name, evaluate]) =>
      criteria.custom(name, evaluate, draftSession(name, agent)),
    ),
  );
  return {
    tools: [...agents.flatMap((agent) => agent.tools), ...(options.tools ?? [])],
    callbacks: [...agents.flatMap((agent) => agent.callbacks), ...(options.callbacks ?? [])],
    criteria: [...ownCriteria, ...(options.criteria ?? [])],
    mcpServers: [...agents.flatMap((agent) => agent.mcpServers), ...(options.mcpServers ?? [])],
  };
}

function draftSession(name: string, { spec }: Agent): { readonly session?: readonly string[] } {
  const found = spec.criteria?.find((one) => one.kind === 'custom' && one.name === name);
  return found?.kind === 'custom' && found.session ? { session: found.session } : {};
}

function takenId(id: string, place: string | undefined, set: SpecSet): readonly SpecProblem[] {
  if (place === undefined) return [];
  return [set.problemOf(id, `is ${quote(id)}, which ${place} in code has, too: rename one`)];
}

/** A worker has one tool of a name: that of an agent in code cannot change. */
function twoRules(agent: Agent, inCode: readonly Agent[], set: SpecSet): readonly SpecProblem[] {
  return [...set.approved].flatMap(([tool, wanted]) => {
    const other = inCode.find(({ tools }) => tools.includes(tool));
    if (other === undefined || !agent.tools.includes(wanted) || !set.ids.includes(agent.id))
      return [];
    const message = `asks for the approval of ${quote(tool.name)}, which agent ${quote(other.id)} in code calls without: a tool has one rule for all agents`;
    return [set.problemOf(agent.id, message)];
  });
}

function agentsIn(runners: readonly Runner[]): readonly Agent[] {
  return runners.filter((runner) => runner.kind === 'agent');
}
