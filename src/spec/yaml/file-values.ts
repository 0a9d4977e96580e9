import type { Json, JsonObject } from '../../base/json';
import type {
  AgentSpec,
  GraphSpec,
  ModelRef,
  ParallelSpec,
  SequentialSpec,
} from '../../protocol/spec';

// What the format's schema lets through, as types.

export type FileText = string | { readonly path: string };

export type FileCriterion =
  | NonNullable<AgentSpec['criteria']>[number]
  | { readonly kind: 'max-iterations'; readonly limit: number };

export type FileRef = string | { readonly ref: string } | FileRunner;

export type FileTool = string | { readonly name: string; readonly needsApproval?: true };

export type FileCallbacks = string | { readonly name?: string; readonly kind?: 'logging' };

type FileSubAgent = Omit<NonNullable<AgentSpec['subAgents']>[number], 'runner'> & {
  readonly runner: FileRef;
};

export type FileAgent = Omit<
  AgentSpec,
  | 'kind'
  | 'model'
  | 'instructions'
  | 'tools'
  | 'subAgents'
  | 'criteria'
  | 'callbacks'
  | 'inputTimeoutMs'
  | 'memory'
> & {
  readonly kind?: 'agent';
  readonly provider?: string;
  readonly model?: string | ModelRef;
  readonly instructions?: FileText;
  readonly tools?: readonly FileTool[];
  readonly subAgents?: readonly FileSubAgent[];
  readonly criteria?: readonly FileCriterion[];
  readonly callbacks?: readonly FileCallbacks[];
  readonly inputTimeout?: string | number;
  readonly memory?: JsonObject;
};

export type FileSequential = Omit<SequentialSpec, 'steps'> & { readonly steps: readonly FileRef[] };

export type FileParallel = Omit<ParallelSpec, 'branches'> & {
  readonly branches: readonly FileRef[];
};

export type FileTask = Omit<GraphSpec['tasks'][number], 'runner' | 'prompt'> & {
  readonly runner: FileRef;
  readonly prompt?: FileText;
};

export type FileGraph = Omit<GraphSpec, 'tasks' | 'params'> & {
  readonly tasks: readonly FileTask[];
};

export type FileRunner = FileAgent | FileSequential | FileParallel | FileGraph;

export type FileDocument = {
  readonly agents?: readonly FileAgent[];
  readonly workflows?: readonly FileRunner[];
};

export type PromptFile = {
  readonly model?: string;
  readonly provider?: string;
  readonly messages: string | readonly string[];
  readonly systemInstructions?: string | readonly string[];
  readonly settings?: JsonObject;
  readonly responseFormat?: JsonObject;
};

/** Items that could be read, with their index in the file. */
export function entriesOf<Item>(
  list: readonly (Item | null)[] | undefined,
): readonly (readonly [number, Item])[] {
  return (list ?? []).flatMap((item, index) => (item === null ? [] : [[index, item] as const]));
}

/** Members that have a value. */
export function given(members: { readonly [name: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
