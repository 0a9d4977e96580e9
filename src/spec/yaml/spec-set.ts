import { formatPath } from '../../base/problem';
import type { Runner } from '../../define/runner';
import type { Tool } from '../../define/tool';
import { buildRunners } from './build-runners';
import type { LoadSpecOptions } from './load-spec';
import { readSpecs } from './read-specs';
import { approvedTools, codeProblems, specCode } from './spec-code';
import { findSpecFiles, type SpecSource } from './spec-files';
import { withStandIns } from './stand-ins';
import { specFilesError, type SpecProblem } from './spec-problem';

/** Runners of files, and where they come from. */
export type SpecSet = {
  /** By id, in the order of the files; those that stand within others are left out. */
  readonly runners: ReadonlyMap<string, Runner>;
  /** Those within others, too. */
  readonly ids: readonly string[];
  /** The files of the specs, of their overlays and of their prompts. */
  readonly files: readonly string[];
  /** Names that something stands in for, where that is wanted. */
  readonly missing: readonly string[];
  /** Tools that the specs want approval of, each with what it became. */
  readonly approved: ReadonlyMap<Tool, Tool>;
  /** A problem of a runner's id, where it stands. */
  problemOf(id: string, message: string): SpecProblem;
};

/** Reads all of it or throws a `SpecError` with everything that is wrong. */
export function readSpecSet(
  source: SpecSource | readonly SpecSource[],
  options: LoadSpecOptions & { readonly standIns?: boolean },
): SpecSet {
  const { overlays = [], env = process.env } = options;
  const found = findSpecFiles(source, overlays);
  const files = [...found.specs, ...found.overlays].map(({ name }) => name);
  const { drafts, problems, promptFiles } = readSpecs(found, env);
  const given = specCode(options);
  const isFilled = options.standIns === true && problems.length === 0;
  const { code, missing } = isFilled ? withStandIns(given, drafts) : { code: given, missing: [] };
  const wrong = [...problems, ...codeProblems(drafts, code)];
  if (wrong.length > 0) throw specFilesError(wrong, files);
  const tools = approvedTools(drafts, code);
  return {
    runners: buildRunners(drafts, { ...code, tools }),
    ids: drafts.map(({ id }) => id),
    files: [...files, ...promptFiles],
    missing,
    approved: new Map(
      [...code.tools].flatMap(([name, tool]) => {
        const wanted = tools.get(name);
        return wanted === undefined || wanted === tool ? [] : [[tool, wanted]];
      }),
    ),
    problemOf: (id, message) => {
      const draft = drafts.find((candidate) => candidate.id === id);
      if (draft === undefined) throw new TypeError(`no runner of the files has the id '${id}'`);
      return draft.places.at(formatPath([...draft.path, 'id']), message);
    },
  };
}
