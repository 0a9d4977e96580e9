import { ownSpecProblems } from '../runner-spec-problems';
import type { RunnerSpec } from '../../protocol/spec';
import { linkProblems } from './check-links';
import { problemOf, type Draft, type Drafting } from './draft';
import { draftRunner } from './draft-runner';
import { expandEnvironment, type Environment } from './expand-env';
import { FieldPlaces, type Path } from './field-places';
import { entriesOf, type FileDocument, type FileRunner } from './file-values';
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
  /** Files that prompts and instructions were read from. */
  readonly promptFiles: readonly string[];
};

type ReadDocument = { readonly document: Located; readonly folder: string | undefined };

/** Files with errors of syntax hold runners that nothing is known of. */
type Reading = { readonly env: Environment; readonly problems: SpecProblem[]; isComplete: boolean };

/** The runners of files, and everything that is wrong with them but for the code they name. */
export function readSpecs({ specs, overlays }: SpecFiles, env: Environment): ReadSpecs {
  const problems: SpecProblem[] = [];
  const reading: Reading = { env, problems, isComplete: true };
  const read = specs.flatMap((file) => readFile(file, reading));
  const changes = overlays.flatMap((file) => readFile(file, reading));
  const merged = changes.reduce<readonly Located[]>(
    (documents, { document }) => mergeOverlay(documents, document, reading),
    read.map(({ document }) => document),
  );
  const drafting: Drafting = { drafts: [], promptTasks: [], promptFiles: [], problems, env };
  merged.forEach((document, index) => {
    draftDocument(document, { folder: read[index]?.folder, drafting });
  });
  const drafts = resolvePromptTasks(drafting);
  problems.push(...drafts.flatMap(specProblems), ...linkProblems(drafts, reading));
  return { drafts, problems, promptFiles: drafting.promptFiles };
}

function readFile({ name, folder, content }: SpecFile, reading: Reading): readonly ReadDocument[] {
  const { env, problems } = reading;
  const start = { file: name, line: 1, column: 1 };
  if (!content.ok) {
    reading.isComplete = false;
    problems.push(problemAt(start, '', content.message));
    return [];
  }
  const parsed = parseText(name, content.text);
  problems.push(...parsed.problems);
  if (parsed.documents.length === 0) {
    reading.isComplete = false;
    if (parsed.problems.length === 0) {
      problems.push(problemAt(start, '', 'has nothing in it: it needs agents, workflows or both'));
    }
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
  const isSound = (path: Path) => reader.isSound(path);
  for (const [section, runners] of Object.entries({ agents, workflows })) {
    for (const [index, runner] of entriesOf<FileRunner>(runners)) {
      draftRunner(runner, { path: [section, index], places, folder, isSound }, drafting);
    }
  }
}

/** Members that can be judged by themselves, where others could not be read. */
const independent = ['output', 'criteria', 'settings', 'budget', 'memory', 'tasks'];

function specProblems(draft: Draft): readonly SpecProblem[] {
  const { isSound } = draft;
  const kind = draft.spec.kind as RunnerSpec['kind'];
  return ownSpecProblems(kind, draft.spec)
    .filter(({ path }) => {
      const [member = ''] = path.split(/[.[]/, 1);
      return isSound === undefined || (independent.includes(member) && isSound(member));
    })
    .map(({ path, message }) => problemOf(draft, path, message));
}
