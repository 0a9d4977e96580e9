import type { Runner } from '../runner';
import { buildRunners } from './build-runners';
import type { Environment } from './expand-env';
import { readSpecs } from './read-specs';
import { codeProblems, specCode, type SpecCodeOptions } from './spec-code';
import { findSpecFiles, type SpecFiles, type SpecSource } from './spec-files';
import { specFilesError } from './spec-problem';

export type LoadSpecOptions = SpecCodeOptions & {
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
 * Loads agents and workflows from a YAML or JSON file, from all of a folder, or from text. Either everything is right, or a
 * `SpecError` lists all that is wrong, with file, line and column.
 *
 * @example
 * const runners = loadSpec('specs', { tools: [findOrder], overlays: ['prod'] });
 * const worker = await createWorker({ runners: runners.all });
 */
export function loadSpec(source: SpecSource, options: LoadSpecOptions = {}): Runners {
  const { overlays = [], env = process.env } = options;
  const files = findSpecFiles(source, overlays);
  const { drafts, problems } = readSpecs(files, env);
  const code = specCode(options);
  const found = [...problems, ...codeProblems(drafts, code)];
  if (found.length > 0) throw specFilesError(found, namesOf(files));
  const runners = buildRunners(drafts, code);
  return Object.freeze({
    ids: Object.freeze([...runners.keys()]),
    all: Object.freeze([...runners.values()]),
    get: (id: string) => runners.get(id),
  });
}

function namesOf({ specs, overlays }: SpecFiles): readonly string[] {
  return [...specs, ...overlays].map(({ name }) => name);
}
