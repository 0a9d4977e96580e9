import type { JsonObject } from './json';
import type { LogEntry, LogRef } from './log';
import type { SessionDelta } from './session';
import type { AgentSpec, Definition, RunnerSpec, ToolSpec } from './spec';

/**
 * Which pinned definition a call belongs to: the first 32 characters of its hash, and the topmost run that pinned it where that is
 * another one. What stands in every activity's input is kept short: it is history.
 */
export type DefinitionRef = { readonly hash: string; readonly root?: string };

/** The few facts of an agent its loop needs; instructions and schemas stay on the workers. */
export type AgentFacts = Omit<AgentSpec, 'instructions' | 'description' | 'tools' | 'settings'> & {
  readonly tools: readonly ToolFacts[];
};

export type ToolFacts = Omit<ToolSpec, 'description' | 'inputSchema' | 'maxResultBytes'>;

export type LoadDefinitionInput = { readonly runner: string | RunnerSpec };

/** `unknown-here`: this worker cannot make the definition; another one of a rolling deploy may. */
export type LoadDefinitionResult =
  | {
      readonly kind: 'found';
      readonly hash: string;
      readonly definition: Definition;
      readonly searchAttributes: boolean;
    }
  | {
      readonly kind: 'unknown-here';
      readonly code: 'AgentNotFound' | 'NotRegisteredHere';
      readonly message: string;
    }
  | { readonly kind: 'invalid'; readonly message: string };

export type CallModelInput = {
  readonly definition: DefinitionRef;
  readonly agentId: string;
  /** Left out where it is the agent's id: at the root. */
  readonly path?: string;
  /** 1-based. */
  readonly turn: number;
  readonly log: LogRef;
  readonly session?: JsonObject;
};

export type CallModelResult = {
  readonly entry: LogEntry & { readonly kind: 'model-turn' };
  readonly session?: SessionDelta;
};

/** Where the arguments of a call stand in the log, when they are too long to travel inline. */
export type ArgumentsRef = {
  readonly log: LogRef;
  readonly entryId: string;
  readonly position: number;
};

export type CallToolInput = {
  readonly definition: DefinitionRef;
  readonly agentId: string;
  readonly path?: string;
  readonly turn: number;
  readonly index: number;
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject | ArgumentsRef;
  readonly byReference?: true;
  readonly session?: JsonObject;
  readonly context?: JsonObject;
  /** Set when the context is too long to travel with every call: the run is asked for it. */
  readonly contextByReference?: true;
  /** First execution run id of the run, where it is not the calling one: idempotency keys are the same over attempts and resets. */
  readonly firstExecutionRunId?: string;
};

export type CallToolResult = {
  readonly entry: LogEntry & { readonly kind: 'tool-result' };
  readonly session?: SessionDelta;
};

export type CheckArgumentsInput = Pick<CallToolInput, 'definition' | 'tool'> & {
  readonly args: JsonObject;
};

/** What the model is told; nothing when the arguments match. */
export type CheckArgumentsResult = { readonly problem?: string };

export type PullLogInput = { readonly log: LogRef; readonly from: number };

/** What the workflows call; `activities/` implements it. Workflows and activities meet only here. */
export interface LonghaulActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  callTool(input: CallToolInput): Promise<CallToolResult>;
  /** Of a call that no activity of ours runs, where it is not as the model made it. */
  checkArguments(input: CheckArgumentsInput): Promise<CheckArgumentsResult>;
  /** Retried while another worker may know the runner. */
  findDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
  /** Entries of a closed run from `from` on, deflated JSON: `{entries, next}`. */
  pullLog(input: PullLogInput): Promise<Uint8Array>;
  /** Asks the server to cancel this run, so that it ends as Canceled. */
  requestCancellation(): Promise<void>;
}

export interface LonghaulLocalActivities {
  loadDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
}
