import type { JsonObject } from '../../base/json';
import { formatPath, joinPath } from '../../base/problem';
import type { FieldPlaces, Path } from './field-places';
import type { LoadedPrompt } from './read-prompt';
import type { SpecProblem } from './spec-problem';

/** A runner named by another one. */
export type DraftRef = { readonly id: string; readonly path: Path };

/** A tool, as its agent wants it. */
export type DraftTool = {
  readonly name: string;
  readonly path: Path;
  readonly needsApproval: boolean;
};

/** A runner of a file: its spec, in which runners are named by their ids, and where everything in it stands. */
export type Draft = {
  readonly id: string;
  readonly path: Path;
  readonly spec: JsonObject;
  readonly places: FieldPlaces;
  /** Of the runner it stands in. Others cannot name it. */
  readonly owner?: string;
  /** There where something in it could not be read: whether it was something in this member. */
  readonly isSound?: (member: string) => boolean;
  readonly refs: readonly DraftRef[];
  readonly tools: readonly DraftTool[];
  /** Indexes of the file's criteria, by those of the spec. */
  readonly criteria: readonly number[];
};

/** A task whose prompt file says more than the prompt. */
export type PromptTask = {
  readonly graph: Draft;
  readonly index: number;
  readonly prompt: LoadedPrompt;
};

/** What the runners of all files are collected in. */
export type Drafting = {
  readonly drafts: Draft[];
  readonly promptTasks: PromptTask[];
  /** Files that prompts and instructions were read from. */
  readonly promptFiles: string[];
  readonly problems: SpecProblem[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** A problem of a draft's spec, where it stands in the file. */
export function problemOf(
  { path, places, criteria }: Draft,
  inside: string,
  message: string,
): SpecProblem {
  const written = inside
    .replace(/^inputTimeoutMs\b/, 'inputTimeout')
    .replace(/^criteria\[(\d+)\]/, (_, index: string) => `criteria[${criteria[Number(index)]}]`);
  return places.at(joinPath(formatPath(path), written), message);
}
