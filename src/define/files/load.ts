import { LonghaulError } from '../../protocol/errors';
import { checkLists, type CodeOptions, registeredCode } from '../registry';
import type { Runner } from '../runner';
import type { Tool } from '../tool';
import { buildRunners } from './build';
import { approvedTools, codeProblems, specCode, withStubs } from './code';
import { type Draft, type DraftRef, draftRunners } from './drafts';
import type { Environment } from './env';
import { findSpecFiles, type SpecFile, type SpecSource } from './find';
import { withOurNames } from './names';
import { mergeOverlay } from './overlay';
import { type Path, Places, type Source } from './places';
import {
  formatPlace,
  problemAt,
  sortProblems,
  specFilesError,
  type SpecProblem,
  startOf,
} from './problem';
import { parseText, type Reading } from './source';
import { didYouMean, quote } from '../../base/problem';
import { limits } from '../../protocol/limits';

/** A limit, because a few small runners that name each other can stand for billions of runs. */
const mostRuns = 10_000;

const none: RunnerExtent = { runs: 0, levels: 0 };

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

/** Repeated ids, references to nothing, and circles. Files that could not be read (`isComplete`) may hold any runner. */
function linkProblems(
  drafts: readonly Draft[],
  { places, isComplete }: { readonly places: Places; readonly isComplete: boolean },
): readonly SpecProblem[] {
  const problemOf: ProblemOf = ({ at }, path, message) =>
    places.locate({ ...at, path: [...at.path, ...path] }, { message });
  const refs = isComplete ? drafts.flatMap((draft) => unknownRefs(draft, drafts, problemOf)) : [];
  const found = [...repeatedIds(drafts, problemOf), ...refs];
  return found.length > 0 ? found : new Circles(drafts, problemOf).problems;
}

type ProblemOf = (draft: Draft, path: Path, message: string) => readonly SpecProblem[];

function repeatedIds(drafts: readonly Draft[], problemOf: ProblemOf): readonly SpecProblem[] {
  const first = new Map<string, Draft>();
  return drafts.flatMap((draft) => {
    const earlier = first.get(draft.id);
    if (earlier === undefined) {
      first.set(draft.id, draft);
      return [];
    }
    const place = problemOf(earlier, ['id'], '').map(formatPlace).join('');
    const message = `is ${quote(draft.id)}, which the runner at ${place} has, too: rename one`;
    return problemOf(draft, ['id'], message);
  });
}

function unknownRefs(
  draft: Draft,
  drafts: readonly Draft[],
  problemOf: ProblemOf,
): readonly SpecProblem[] {
  return draft.refs.flatMap((ref) => {
    const found = drafts.filter(({ id }) => id === ref.id);
    if (ref.isInline || found.some(({ owner }) => owner === undefined || owner === draft.id))
      return [];
    return problemOf(draft, ref.path, refMessage(ref, found[0], drafts));
  });
}

function refMessage({ id }: DraftRef, inner: Draft | undefined, drafts: readonly Draft[]): string {
  if (inner?.owner !== undefined) {
    return `is ${quote(id)}, which stands within ${quote(inner.owner)} and is known only there: move it to the agents or workflows of the file`;
  }
  const known = drafts.filter(({ owner }) => owner === undefined).map((draft) => draft.id);
  const list = known.length === 0 ? 'There is none' : `There are: ${[...known].sort().join(', ')}`;
  return `must be the id of a runner, not ${quote(id)}${didYouMean(id, known) || '.'} ${list}`;
}

/** The runs that a runner stands for, and how many levels they nest. */
type RunnerExtent = { readonly runs: number; readonly levels: number };

/** Follows every reference once. */
class Circles {
  readonly problems: SpecProblem[] = [];
  readonly #drafts: ReadonlyMap<string, Draft>;
  readonly #problemOf: ProblemOf;
  readonly #extents = new Map<string, RunnerExtent>();

  constructor(drafts: readonly Draft[], problemOf: ProblemOf) {
    this.#drafts = new Map(drafts.map((draft) => [draft.id, draft]));
    this.#problemOf = problemOf;
    drafts.forEach((draft) => this.#visit(draft, [draft.id]));
  }

  #visit(draft: Draft, way: readonly string[]): RunnerExtent {
    const known = this.#extents.get(draft.id);
    if (known !== undefined) return known;
    const below = draft.refs.map((ref) => this.#follow(draft, ref, way));
    const runs = below.reduce((sum, extent) => sum + extent.runs, 1);
    const levels = below.reduce((most, extent) => Math.max(most, extent.levels + 1), 0);
    const message = tooMuch(runs, levels);
    if (message !== undefined) this.problems.push(...this.#problemOf(draft, [], message));
    const extent = message === undefined ? { runs, levels } : none;
    this.#extents.set(draft.id, extent);
    return extent;
  }

  #follow(draft: Draft, ref: DraftRef, way: readonly string[]): RunnerExtent {
    const target = this.#drafts.get(ref.id);
    if (target === undefined) return none;
    const start = way.indexOf(ref.id);
    if (start < 0) return this.#visit(target, [...way, ref.id]);
    const circle = [...way.slice(start), ref.id].join(' → ');
    this.problems.push(...this.#problemOf(draft, ref.path, `closes a circle: ${circle}`));
    return none;
  }
}

function tooMuch(runs: number, levels: number): string | undefined {
  if (levels > limits.depth) {
    return `nests runners more than ${limits.depth} levels deep: make fewer levels`;
  }
  if (runs <= mostRuns) return undefined;
  const most = mostRuns.toLocaleString('en');
  return `stands for more than ${most} runs, with those that the runners in it name`;
}
