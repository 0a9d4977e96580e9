import { LonghaulError } from '../../protocol/errors';
import type { Environment } from './expand-env';
import { readSpecs } from './read-specs';
import type { CodeOptions } from '../../define/registry';
import { codeProblems, specCode } from './spec-code';
import { findSpecFiles, type SpecSource } from './spec-files';
import { sortProblems, type SpecProblem } from './spec-problem';

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

/** What a spec has, and everything that is wrong with it. Nothing is made of it. */
export function checkSpec(source: SpecSource, options: CheckSpecOptions = {}): SpecCheck {
  const { overlays = [], env = process.env, code } = options;
  try {
    const found = findSpecFiles(source, overlays);
    const { drafts, problems } = readSpecs(found, env);
    const missing = code === undefined ? [] : codeProblems(drafts, specCode(code));
    const files = [...found.specs, ...found.overlays].map(({ name }) => name);
    const named = drafts.filter(({ owner }) => owner === undefined);
    const all = sortProblems([...problems, ...missing], files);
    return { ids: named.map(({ id }) => id), problems: all };
  } catch (error) {
    // Where there is nothing to read.
    const problems = LonghaulError.is(error) ? error.details.problems : undefined;
    if (!Array.isArray(problems)) throw error;
    return { ids: [], problems: problems as readonly SpecProblem[] };
  }
}
