import { quote } from '../../base/problem';
import { LonghaulError } from '../../protocol/errors';
import { criteria } from '../criteria';
import { checkLists, registeredRunners, type CodeOptions, type RegistryOptions } from '../registry';
import type { Agent, Runner } from '../runner';
import type { SpecSource } from './find';
import { readSpecSet, type SpecSet } from './load';
import { specFilesError, type SpecProblem } from './problem';

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
  const set = readSpecSet(specs, { ...code, ...(overlays && { overlays }), stubs });
  const added = [...set.runners.values()];
  const problems = [
    ...set.ids.flatMap((id) => takenId(id, inCode.placeOf(id), set)),
    ...agentsIn(registeredRunners(added).values()).flatMap((agent) => twoRules(agent, agents, set)),
  ];
  if (problems.length > 0) throw specFilesError(problems, set.files);
  const known = { runners: [...runners, ...added] };
  const approved = tools?.map((tool) => set.approved.get(tool) ?? tool);
  return {
    options: { ...rest, ...known, ...(approved && { tools: approved }) },
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
