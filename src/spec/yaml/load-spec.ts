import type { Runner } from '../../define/runner';
import type { CodeOptions } from '../../define/registry';
import { refuseRepeatedCode } from './spec-code';
import type { Environment } from './expand-env';
import { readSpecSet } from './spec-set';
import type { SpecSource } from './spec-files';

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
  refuseRepeatedCode(options);
  const { runners } = readSpecSet(source, options);
  return Object.freeze({
    ids: Object.freeze([...runners.keys()]),
    all: Object.freeze([...runners.values()]),
    get: (id: string) => runners.get(id),
  });
}
