import { ownSpecProblems } from '../runner-spec-problems';
import type { RunnerSpec } from '../../protocol/spec';
import { linkProblems } from './check-links';
import { problemOf, type Draft, type Drafting } from './draft';
import { draftRunner } from './draft-runner';
import { expandEnvironment, type Environment } from './expand-env';
import { FieldPlaces } from './field-places';
import type { FileDocument, FileRunner } from './file-values';
import { formatDefinitions, formatSchema } from './format-schema';
import type { Located } from './located';
import { mergeOverlay } from './merge-overlay';
import { parseText } from './parse-yaml';
import { resolvePromptTasks } from './prompt-agents';
import { NodeReader } from './read-node';
import type { SpecFile, SpecFiles } from './spec-files';
import { problemAt, type SpecProblem } from './spec-problem';

export type ReadSpecs = {
  readonly drafts: readonly Draft[];
  readonly problems: readonly SpecProblem[];
};

type ReadDocument = { readonly document: Located; readonly folder: string | undefined };

/** The runners of files, and everything that is wrong with them but for the code they name. Nothing is kept of a file with a problem. */
export function readSpecs({ specs, overlays }: SpecFiles, env: Environment): ReadSpecs {
  const problems: SpecProblem[] = [];
  const read = specs.flatMap((file) => readFile(file, env, problems));
  const changes = overlays.flatMap((file) => readFile(file, env, problems));
  if (problems.length > 0) return { drafts: [], problems };
  const merged = changes.reduce<readonly Located[]>(
    (documents, { document }) => mergeOverlay(documents, document, problems),
    read.map(({ document }) => document),
  );
  const drafting: Drafting = { drafts: [], brokenIds: [], promptTasks: [], problems, env };
  merged.forEach((document, index) => {
    draftDocument(document, { folder: read[index]?.folder, drafting });
  });
  const drafts = resolvePromptTasks(drafting);
  problems.push(...drafts.flatMap(specProblems));
  problems.push(...linkProblems(drafts, drafting.brokenIds));
  return { drafts, problems };
}

function readFile(
  { name, folder, content }: SpecFile,
  env: Environment,
  problems: SpecProblem[],
): readonly ReadDocument[] {
  const start = { file: name, line: 1, column: 1 };
  if (!content.ok) {
    problems.push(problemAt(start, '', content.message));
    return [];
  }
  const parsed = parseText(name, content.text);
  problems.push(...parsed.problems);
  if (parsed.problems.length === 0 && parsed.documents.length === 0) {
    problems.push(problemAt(start, '', 'has nothing in it: it needs agents, workflows or both'));
  }
  return parsed.documents.map((document) => ({
    document: expandEnvironment(document, { env, problems }),
    folder,
  }));
}

function draftDocument(
  document: Located,
  { folder, drafting }: { readonly folder: string | undefined; readonly drafting: Drafting },
): void {
  const places = new FieldPlaces();
  const reader = new NodeReader(formatDefinitions, places);
  const value = reader.read(formatSchema, document, { path: [], written: [] });
  drafting.problems.push(...reader.problems);
  if (value === undefined) return;
  const { agents = [], workflows = [] } = value as unknown as FileDocument;
  if (reader.problems.length === 0 && agents.length + workflows.length === 0) {
    drafting.problems.push(places.at('', 'needs agents, workflows or both'));
  }
  for (const [section, runners] of Object.entries({ agents, workflows })) {
    runners.forEach((runner: FileRunner | null, index) => {
      if (runner === null) return;
      if (reader.isSound([section, index])) {
        draftRunner(runner, { path: [section, index], places, folder }, drafting);
      } else if (typeof runner.id === 'string') drafting.brokenIds.push(runner.id);
    });
  }
}

function specProblems(draft: Draft): readonly SpecProblem[] {
  const kind = draft.spec.kind as RunnerSpec['kind'];
  return ownSpecProblems(kind, draft.spec).map(({ path, message }) =>
    problemOf(draft, path, message),
  );
}
