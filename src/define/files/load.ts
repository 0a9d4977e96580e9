// The doors to specs in files. `loadSpec` returns runners for a program, `checkSpec` returns problems for a check, and `addSpecs` adds the
// runners of files to the options of a worker. `read.ts` does the reading.
//
// 1. `loadSpec` and `addSpecs` return runners without problems, or throw one error with all problems.

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
import type { SpecSource } from './find';
import { sortProblems, specFilesError, type Environment, type SpecProblem } from './places';
import { readSpecs, type ReadSpecs } from './read';

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
  // Refuses two things with one name, as a worker does.
  registeredCode([], options);
  const { runners } = readWhole(source, options);
  return Object.freeze({
    ids: Object.freeze([...runners.keys()]),
    all: Object.freeze([...runners.values()]),
    get: (id: string) => runners.get(id),
  });
}

export type CheckSpecOptions = {
  /** Without it, names of code are not checked. */
  readonly code?: CodeOptions;
  readonly overlays?: readonly SpecSource[];
  readonly env?: Environment;
};

export type SpecCheck = {
  /** The ids of the runners that others can name. */
  readonly ids: readonly string[];
  readonly problems: readonly SpecProblem[];
};

/** The runners' ids of a spec, and all its problems. */
export function checkSpec(
  source: SpecSource,
  { code, ...options }: CheckSpecOptions = {},
): SpecCheck {
  try {
    const { drafts, reading, files } = readSpecs(source, {
      ...options,
      ...code,
      missingCode: code === undefined ? 'ignored' : 'refused',
    });
    const named = drafts.filter(({ owner }) => owner === undefined);
    return { ids: named.map(({ id }) => id), problems: sortProblems(reading.problems, files) };
  } catch (error) {
    // No file could be found or read.
    const problems = LonghaulError.is(error) ? error.details?.problems : undefined;
    if (!Array.isArray(problems)) throw error;
    return { ids: [], problems: problems as readonly SpecProblem[] };
  }
}

/** Throws a `SpecError` with everything that is wrong. With `stubs`, code may be missing. */
function readWhole(
  source: SpecSource | readonly SpecSource[],
  { stubs = false, ...options }: LoadSpecOptions & { readonly stubs?: boolean },
): ReadSpecs {
  const specs = readSpecs(source, { ...options, missingCode: stubs ? 'stubbed' : 'refused' });
  const { problems } = specs.reading;
  if (problems.length > 0) throw specFilesError(problems, specs.files);
  return specs;
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
 * The options with the runners of their specs among the others. Throws a `SpecError` with everything that is wrong. With `stubs` code may
 * be missing: then the result is only for checks.
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
  const { runners = [], tools = [] } = options;
  const inCode = registeredRunners(runners);
  const agents = agentsIn(inCode.values());
  const read = readWhole(specs, { ...codeOf(agents, options), ...defined({ overlays }), stubs });
  const added = [...read.runners.values()];
  const files = [...read.files, ...read.promptFiles];
  for (const { id } of read.drafts) {
    const place = inCode.placeOf(id);
    if (place === undefined) continue;
    reportId(id, `is ${quote(id)}, which ${place} in code has, too: rename one`, read);
  }
  for (const agent of agentsIn(registeredRunners(added).values())) checkRule(agent, agents, read);
  const { problems } = read.reading;
  if (problems.length > 0) throw specFilesError(problems, files);
  const registered = [...tools.map((tool) => read.approved.get(tool) ?? tool), ...read.tools];
  return {
    options: {
      ...rest,
      runners: [...runners, ...added],
      ...(registered.length > 0 && { tools: registered }),
    },
    files,
    missing: read.missing,
  };
}

/** The code that specs may name: registered code, and the code of the agents in code. */
function codeOf(agents: readonly Agent[], options: RegistryOptions): CodeOptions {
  const ownCriteria = agents.flatMap(({ spec, criteria: functions }) =>
    [...functions].map(([name, evaluate]) => {
      const found = spec.criteria?.find((one) => one.kind === 'custom' && one.name === name);
      const session = found?.kind === 'custom' ? found.session : undefined;
      return criteria.custom(name, evaluate, defined({ session }));
    }),
  );
  return {
    tools: [...agents.flatMap((agent) => agent.tools), ...(options.tools ?? [])],
    callbacks: [...agents.flatMap((agent) => agent.callbacks), ...(options.callbacks ?? [])],
    criteria: [...ownCriteria, ...(options.criteria ?? [])],
    mcpServers: [...agents.flatMap((agent) => agent.mcpServers), ...(options.mcpServers ?? [])],
  };
}

function reportId(id: string, message: string, { drafts, reading }: ReadSpecs): void {
  const draft = drafts.find((one) => one.id === id);
  if (draft !== undefined) reading.report(draft.at, ['id'], { message });
}

/** A worker has one tool of a name, and the tool of an agent in code cannot change. */
function checkRule({ id, tools }: Agent, inCode: readonly Agent[], read: ReadSpecs): void {
  for (const [tool, wanted] of read.approved) {
    const other = inCode.find((agent) => agent.tools.includes(tool));
    if (other === undefined || !tools.includes(wanted)) continue;
    const message = `asks for the approval of ${quote(tool.name)}, which agent ${quote(other.id)} in code calls without: a tool has one rule for all agents`;
    reportId(id, message, read);
  }
}

function agentsIn(runners: readonly Runner[]): readonly Agent[] {
  return runners.filter((runner) => runner.kind === 'agent');
}
