import { LonghaulError } from '../../protocol/errors';
import { checkLists, registeredCode, type CodeOptions } from '../registry';
import type { Runner } from '../runner';
import type { Tool } from '../tool';
import { buildRunners } from './build';
import { approvedTools, codeProblems, specCode, withStubs } from './code';
import { draftRunners, type Draft } from './drafts';
import type { Environment } from './env';
import { findSpecFiles, type SpecFile, type SpecSource } from './find';
import { linkProblems } from './links';
import { withOurNames } from './names';
import { mergeOverlay } from './overlay';
import { Places, type Source } from './places';
import { problemAt, sortProblems, specFilesError, startOf, type SpecProblem } from './problem';
import { parseText, type Reading } from './source';

export type LoadSpecOptions = CodeOptions & {
  /**
   * Changes for an environment, in order: the name of one (`'prod'`: `agents.prod.yaml` beside `agents.yaml`), files, or text.
   */
  readonly overlays?: readonly SpecSource[];
  /** What `${env:NAME}` stands for. Default: the environment of the process. */
  readonly env?: Environment;
};

/** The runners of a spec, in its order. Those that stand within others are private to them. */
export type Runners = {
  readonly ids: readonly string[];
  readonly all: readonly Runner[];
  get(id: string): Runner | undefined;
};

/**
 * Loads agents and workflows from a YAML or JSON file, from all of a folder, from text, or from several of these as one spec. Either
 * everything is right, or a `SpecError` lists all that is wrong, with file, line and column.
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
  /** A problem of a runner's id, where it stands. */
  problemOf(id: string, message: string): SpecProblem;
};

/** Reads all of it or throws a `SpecError` with everything that is wrong. With `stubs`, code may be missing. */
export function readSpecSet(
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
    problemOf: (id, message) => {
      const { at } = drafts.find((draft) => draft.id === id) as Draft;
      const [problem] = places.locate({ ...at, path: [...at.path, 'id'] }, { message });
      return problem as SpecProblem;
    },
  };
}

type ReadOptions = LoadSpecOptions & {
  /** `ignored`: not even the approval of tools is looked at. */
  readonly missingCode: 'refused' | 'stubbed' | 'ignored';
};

function readSpecs(source: SpecSource | readonly SpecSource[], options: ReadOptions) {
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
  const given = specCode(options);
  const filled = withStubs(given, drafts);
  if (missingCode !== 'ignored') {
    const code = missingCode === 'refused' ? given : filled.code;
    problems.push(...codeProblems(drafts, code, places));
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
      ? 'has nothing in it: it needs agents, workflows or both'
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
