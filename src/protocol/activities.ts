import type { JsonObject } from '../base/json';
import type { LogEntry, LogRef } from './log';
import type { ToolOutput } from './message';
import type { InputRef, RunInput, RunKey } from './run';
import type { SessionDelta } from './session';
import type {
  ClearTurnsInput,
  CompactTurnsInput,
  CompactTurnsResult,
  OpenThreadInput,
  OpenThreadResult,
  SaveTurnInput,
  StoreReply,
} from './thread';
import type {
  AgentSpec,
  Definition,
  DefinitionRef,
  GraphSpec,
  GraphTaskSpec,
  ParallelSpec,
  RunnerSpec,
  SequentialSpec,
  SubAgentSpec,
  ToolHook,
  ToolSpec,
} from './spec';

/** The part of an agent its loop needs; instructions and schemas stay on the workers. */
export type AgentConfig = Omit<
  AgentSpec,
  'instructions' | 'description' | 'tools' | 'subAgents' | 'callbacks' | 'settings'
> & {
  readonly tools: readonly ToolConfig[];
  readonly subAgents?: readonly SubAgentConfig[];
  /** There when the agent has callbacks: the session keys they declare. */
  readonly callbackSession?: readonly string[];
  /** There when any of its callbacks has one. */
  readonly toolHooks?: readonly ToolHook[];
};

/** A runner below another one. `kind` is left out for an agent. */
export type RunnerPlace = {
  readonly runner: string;
  readonly kind?: Exclude<RunnerSpec['kind'], 'agent'>;
};

export type SubAgentConfig = Omit<SubAgentSpec, 'description' | 'runner'> & RunnerPlace;

export type SequentialConfig = Omit<SequentialSpec, 'description' | 'steps'> & {
  readonly steps: readonly RunnerPlace[];
};

export type ParallelConfig = Omit<ParallelSpec, 'description' | 'branches'> & {
  readonly branches: readonly RunnerPlace[];
};

export type GraphTaskConfig = Omit<GraphTaskSpec, 'runner'> & RunnerPlace;

export type GraphConfig = Omit<GraphSpec, 'description' | 'tasks'> & {
  readonly tasks: readonly GraphTaskConfig[];
};

export type OrchestrationConfig = SequentialConfig | ParallelConfig | GraphConfig;

/** The part of a runner that its workflow needs. */
export type RunnerConfig = AgentConfig | OrchestrationConfig;

export type ToolConfig = Omit<ToolSpec, 'description' | 'inputSchema' | 'maxResultBytes'>;

/** With `definition`, of a child: the runner stands in what its root run pinned. */
export type LoadDefinitionInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly runner: string;
  /** The run was started with the whole spec: it is asked for it, so that it stands in history once. */
  readonly inline?: true;
  readonly definition?: DefinitionRef;
};

/** `unknown-here`: this worker cannot make the definition; another one of a rolling deploy may. */
export type LoadDefinitionResult =
  | {
      readonly kind: 'found';
      readonly hash: string;
      readonly definition: Definition;
      readonly searchAttributes: boolean;
      /** The stores this worker has: without any, a run neither opens nor closes. */
      readonly stores?: readonly StateStoreName[];
    }
  | {
      readonly kind: 'pinned';
      readonly hash: string;
      readonly config: RunnerConfig;
      readonly searchAttributes: boolean;
    }
  /** It names MCP servers, which only a plain activity may wait for. */
  | { readonly kind: 'needs-listing' }
  | {
      readonly kind: 'unknown-here';
      readonly code: 'AgentNotFound' | 'NotRegisteredHere';
      readonly message: string;
    }
  | { readonly kind: 'invalid'; readonly message: string };

export type ContextInput = {
  readonly context?: JsonObject;
  /** Set when the context is too long to travel with every call: the run is asked for it. */
  readonly contextByReference?: true;
};

/** What callbacks are told. `iteration` is there exactly when the agent has callbacks. */
export type CallbackInput = ContextInput & { readonly iteration?: number };

export type CallModelInput = {
  readonly definition: DefinitionRef;
  readonly agentId: string;
  /** Left out where it is the agent's id: at the root. */
  readonly path?: string;
  /** 1-based. */
  readonly turn: number;
  readonly log: LogRef;
  /** Of a turn of a thread: the thread's turns before it. */
  readonly memory?: LogRef;
  /** The keys declared by what runs beside the call: callbacks, criteria, approval functions. */
  readonly session?: JsonObject;
} & CallbackInput;

export type CallModelResult = {
  readonly entry: LogEntry & { readonly kind: 'model-turn' };
  readonly session?: SessionDelta;
  /** What the call cost, in US dollars, where the worker knows the model's price. */
  readonly costUsd?: number;
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
  /** Of the run: idempotency keys are made of it. */
  readonly origin: string;
  /** Of a tool with effect `once`: the execution that makes the call. After a reset another one would find it in flight. */
  readonly onceIn?: string;
} & CallbackInput;

export type CallToolResult = {
  readonly entry: LogEntry & { readonly kind: 'tool-result' };
  readonly session?: SessionDelta;
};

/** Without an output: the call is about to run. */
export type RunToolHooksInput = CallToolInput & { readonly output?: ToolOutput };

/** `output`: what a hook puts in place of the call or its result. */
export type RunToolHooksResult = {
  readonly output?: ToolOutput;
  readonly session?: SessionDelta;
};

/** A run whose session a child starts from. */
export type FetchSessionInput = { readonly workflowId: string };

/** As an object: what activities return is told apart by its fields. */
export type FetchInputResult = Pick<RunInput, 'input'>;

export type CheckArgumentsInput = Pick<CallToolInput, 'definition' | 'tool'> & {
  readonly args: JsonObject;
};

/** What the model is told; nothing when the arguments match. */
export type CheckArgumentsResult = { readonly problem?: string };

export type PullLogInput = { readonly log: LogRef; readonly from: number };

export type StateStoreName = 'app' | 'user' | 'session';

/** `stores` are those the definition was loaded with: a worker that lacks one leaves the call to another. */
export type OpenRunInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly stores: readonly StateStoreName[];
  readonly key: RunKey;
  readonly session: JsonObject;
  /** Default `caller`. */
  readonly sessionPrecedence?: 'caller' | 'store';
};

/** `version`: of the stored session that the run starts from. */
export type OpenRunResult = { readonly session: JsonObject; readonly version?: string };

/** `save`: which version of the stored session the run started from, and which it makes of it. */
export type CloseRunInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly key: RunKey;
  readonly session: JsonObject;
  readonly save: { readonly after: string; readonly version: string };
};

/** What the workflows call; `activities/` implements it. Workflows and activities meet only here. */
export interface LonghaulActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  callTool(input: CallToolInput): Promise<CallToolResult>;
  /** The hooks before or after a call that no activity of ours runs. */
  runToolHooks(input: RunToolHooksInput): Promise<RunToolHooksResult>;
  /** Of a call that no activity of ours runs, where it is not as the model made it. */
  checkArguments(input: CheckArgumentsInput): Promise<CheckArgumentsResult>;
  /** What this worker can say at once. */
  loadDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
  /** Retried while another worker may know the runner; lists the tools of MCP servers. */
  findDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
  /** Entries of a closed run from `from` on, deflated JSON: `{entries, next}`. */
  pullLog(input: PullLogInput): Promise<Uint8Array>;
  /** The session of the run that called this one, when it is too long to travel. */
  fetchSession(input: FetchSessionInput): Promise<JsonObject>;
  /** The input the run that called this one started it with, when it is too long to travel. */
  fetchInput(input: InputRef): Promise<FetchInputResult>;
  /** Reads the stores, once, when a run starts. */
  openRun(input: OpenRunInput): Promise<OpenRunResult>;
  /** Saves the session, once, when a run completes; may be repeated. */
  closeRun(input: CloseRunInput): Promise<void>;
  /** What a thread starts from: its runner's memory, and the turns its store holds. */
  openThread(input: OpenThreadInput): Promise<OpenThreadResult>;
  /** Writes one turn; may be repeated. */
  saveTurn(input: SaveTurnInput): Promise<StoreReply>;
  /** Forgets all turns; may be repeated. */
  clearTurns(input: ClearTurnsInput): Promise<StoreReply>;
  /** Has the older turns of a thread summarised by the model. */
  compactTurns(input: CompactTurnsInput): Promise<CompactTurnsResult>;
  /** Asks the server to cancel this run, so that it ends as Canceled; never one that was started under its id since. */
  requestCancellation(input: { readonly firstExecutionRunId: string }): Promise<void>;
}
