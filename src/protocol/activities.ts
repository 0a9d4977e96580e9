import type { JsonObject } from '../base';
import type { LogEntry, LogRef } from './log';
import type { ToolOutput } from './message';
import type { ApproverRule, WorkerHook } from './people';
import type { InputAnswer, InputRef, PendingInput, RunInput, RunKey, RunSpend } from './run';
import type { SessionDelta } from './session';
import type { Traced } from './trace';
import type {
  ClearTurnsInput,
  EraseContentsInput,
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

/** The part of an agent that its loop needs. Instructions and schemas stay on the workers. */
export type AgentConfig = Omit<
  AgentSpec,
  'instructions' | 'description' | 'tools' | 'subAgents' | 'callbacks' | 'settings'
> & {
  readonly tools: readonly ToolConfig[];
  readonly subAgents?: readonly SubAgentConfig[];
  /** The session keys that the callbacks declare. Present if the agent has callbacks. */
  readonly callbackSession?: readonly string[];
  /** Present if a callback of the agent has a tool hook. */
  readonly toolHooks?: readonly ToolHook[];
};

/** A runner below another one. `kind` is absent for an agent. */
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

/** A child sends `definition`: its runner is in the definition that the root run pinned. */
export type LoadDefinitionInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly runner: string;
  /** The run was started with the whole spec. The activity asks the run for it, so history contains the spec only once. */
  readonly inline?: true;
  /** The client brings tools. The activity asks the run for them, too. */
  readonly clientTools?: true;
  readonly definition?: DefinitionRef;
};

/** `unknown-here`: this worker cannot make the definition. During a rolling deploy, another worker may. */
export type LoadDefinitionResult =
  | {
      readonly kind: 'found';
      readonly hash: string;
      readonly definition: Definition;
      readonly searchAttributes: boolean;
      /** The stores of this worker. Without stores, the run calls neither `openRun` nor `closeRun`. */
      readonly stores?: readonly StateStoreName[];
      /** The hooks of this worker. Without them, the run does not call them. */
      readonly hooks?: readonly WorkerHook[];
    }
  | {
      readonly kind: 'pinned';
      readonly hash: string;
      readonly config: RunnerConfig;
      readonly searchAttributes: boolean;
      readonly hooks?: readonly WorkerHook[];
    }
  /** The definition names MCP servers. Only a plain activity may wait for them. */
  | { readonly kind: 'needs-listing' }
  | {
      readonly kind: 'unknown-here';
      readonly code: 'AgentNotFound' | 'NotRegisteredHere';
      readonly message: string;
    }
  | { readonly kind: 'invalid'; readonly message: string };

export type ContextInput = {
  readonly context?: JsonObject;
  /** Set if the context is too long to travel with every call. The activity asks the run for it. */
  readonly contextByReference?: true;
};

/** The input of callbacks. `iteration` is present exactly if the agent has callbacks. */
export type CallbackInput = ContextInput & { readonly iteration?: number };

export type CallModelInput = {
  readonly definition: DefinitionRef;
  readonly agentId: string;
  /** The path of the agent. Absent at the root, where it is the agent's id. */
  readonly path?: string;
  /** Counts from 1. */
  readonly turn: number;
  readonly log: LogRef;
  /** Only for a turn of a thread: the earlier turns of the thread. */
  readonly memory?: LogRef;
  /** The session keys that the callbacks, criteria, approval functions and inline tools beside the call declare. */
  readonly session?: JsonObject;
  /** Present if calls of the turn may run inline. They need the origin of the run for their idempotency keys. */
  readonly inline?: Pick<CallToolInput, 'origin'>;
} & CallbackInput &
  Traced;

export type CallModelResult = {
  readonly entry: LogEntry & { readonly kind: 'model-turn' };
  readonly session?: SessionDelta;
  /** The cost of the call in US dollars, if the worker knows the model's price. */
  readonly costUsd?: number;
  /** Results of calls of this turn that ran inline, in call order. */
  readonly results?: readonly CallToolResult[];
  /** Indexes of calls that began inline and have no result: they failed, took too long, or were cut off. That was their first attempt. */
  readonly unfinished?: readonly number[];
};

/** The agent of the turns to summarise: in the definition that its run pinned, or as the thread's workers know it. */
type SummarisedAgent =
  | Pick<CallModelInput, 'definition' | 'agentId' | 'path'>
  | Pick<OpenThreadInput, 'application' | 'runner' | 'inline'>;

export type SummariseInput = SummarisedAgent &
  Traced & {
    readonly log: LogRef;
    /** The earlier turns of the thread, until a summary stands for them. */
    readonly memory?: LogRef;
    /** The last turn that goes into the summary. */
    readonly through: number;
    /** The longest summary. */
    readonly maxBytes: number;
    /** The most text that the model reads for it. */
    readonly readBytes: number;
  };

/** If the model gave no summary, there is only the cost. */
export type SummariseResult = {
  readonly entry?: LogEntry & { readonly kind: 'summary' };
  readonly spend: RunSpend;
};

/** The place of a call's arguments in the log, if they are too long to travel inline. */
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
  /** The origin of the run. Idempotency keys derive from it. */
  readonly origin: string;
  /** Only for a tool with effect `once`: the execution that makes the call. After a reset, another one would find the call in flight. */
  readonly onceIn?: string;
  /** Only for a tool with a later result: the input that takes the result. */
  readonly inputId?: string;
  /** Only for a tool with a `needsApproval` function: a person was asked about the call. */
  readonly wasAsked?: true;
} & CallbackInput &
  Traced;

export type CallToolResult = {
  readonly entry: LogEntry & { readonly kind: 'tool-result' };
  readonly session?: SessionDelta;
};

/**
 * The call of a `later` tool has begun its work. `tokens` has hashes of the tokens that its attempts passed on. Each of these tokens may
 * bring the result.
 */
export type CallToolBegun = {
  readonly tokens: readonly string[];
  readonly session?: SessionDelta;
};

/**
 * Who may decide about a call (`by`), and what these people see (`text`), from the tool's functions. `problem`: the arguments do not match
 * the schema, so the call cannot run.
 */
export type ReviewCallResult = {
  readonly by?: ApproverRule;
  readonly text?: string;
  readonly problem?: string;
};

/** Something that a person should know of: a pause, a reminder, or an escalation. */
export type PauseNotice = {
  readonly reason: 'asked' | 'reminder' | 'escalated';
  /** The root run, which takes the answer. */
  readonly workflowId: string;
  /** Without its schema. If it is over `limits.hookInput`, it lacks the call, or the question is cut. */
  readonly input: PendingInput;
};

export type NotifyPauseInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly notice: PauseNotice;
  /** The same for each attempt. */
  readonly idempotencyKey: string;
};

export type CheckSignatureInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly workflowId: string;
  readonly input: PendingInput;
  readonly answer: InputAnswer;
};

/** `problem`: why the signature is not one of the actor. */
export type CheckSignatureResult = { readonly problem?: string };

/** If `output` is absent, the call is about to run. */
export type RunToolHooksInput = CallToolInput & { readonly output?: ToolOutput };

/** `output`: the output that a hook puts in place of the call or its result. */
export type RunToolHooksResult = {
  readonly output?: ToolOutput;
  readonly session?: SessionDelta;
};

/** The run with the session that a child starts from. */
export type FetchSessionInput = { readonly workflowId: string };

/** An object, because Longhaul recognises the results of activities by their fields. */
export type FetchInputResult = Pick<RunInput, 'input'>;

export type CheckArgumentsInput = Pick<CallToolInput, 'definition' | 'tool'> & {
  readonly args: JsonObject;
};

/** The problem that the model gets. Absent if the arguments match. */
export type CheckArgumentsResult = { readonly problem?: string };

export type PullLogInput = { readonly log: LogRef; readonly from: number };

export type StateStoreName = 'app' | 'user' | 'session';

/** `stores` are the stores from the load of the definition. A worker that lacks one of them leaves the call to another worker. */
export type OpenRunInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly stores: readonly StateStoreName[];
  readonly key: RunKey;
  readonly session: JsonObject;
  /** Default `caller`. */
  readonly sessionPrecedence?: 'caller' | 'store';
};

/** `version` is the version of the stored session that the run starts from. */
export type OpenRunResult = { readonly session: JsonObject; readonly version?: string };

/** `save.after` is the version of the stored session that the run started from. `save.version` is the version that it writes. */
export type CloseRunInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly key: RunKey;
  readonly session: JsonObject;
  readonly save: { readonly after: string; readonly version: string };
};

/** The activities that the workflows call. `activities/` implements them. Workflows and activities meet only here. */
export interface LonghaulActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  callTool(input: CallToolInput): Promise<CallToolResult | CallToolBegun>;
  /** Runs the functions of a tool's approval policy for one call. */
  reviewCall(input: CallToolInput): Promise<ReviewCallResult>;
  /** Calls the worker's `onPause`. */
  notifyPause(input: NotifyPauseInput): Promise<void>;
  /** Calls the worker's `checkSignature`. */
  checkSignature(input: CheckSignatureInput): Promise<CheckSignatureResult>;
  /** Runs the hooks before or after a call that no activity of Longhaul runs. */
  runToolHooks(input: RunToolHooksInput): Promise<RunToolHooksResult>;
  /** Checks the arguments of a call that no activity of Longhaul runs, if the call is not as the model made it. */
  checkArguments(input: CheckArgumentsInput): Promise<CheckArgumentsResult>;
  /** Loads the definition, as far as this worker can do that at once. */
  loadDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
  /** Loads the definition, with the tools of MCP servers. It retries while another worker may know the runner. */
  findDefinition(input: LoadDefinitionInput): Promise<LoadDefinitionResult>;
  /** Reads the entries of a closed run from `from` on, as deflated JSON: `{entries, next}`. */
  pullLog(input: PullLogInput): Promise<Uint8Array>;
  /** Reads the session of the calling run, if it is too long to travel. */
  fetchSession(input: FetchSessionInput): Promise<JsonObject>;
  /** Reads the input that the calling run gave this run, if it is too long to travel. */
  fetchInput(input: InputRef): Promise<FetchInputResult>;
  /** Reads the stores once, when a run starts. */
  openRun(input: OpenRunInput): Promise<OpenRunResult>;
  /** Saves the session once, when a run completes. It is safe to repeat. */
  closeRun(input: CloseRunInput): Promise<void>;
  /** Reads the start of a thread: its runner's memory, and the turns in its store. */
  openThread(input: OpenThreadInput): Promise<OpenThreadResult>;
  /** Writes one turn. It is safe to repeat. */
  saveTurn(input: SaveTurnInput): Promise<StoreReply>;
  /** Deletes all turns. It is safe to repeat. */
  clearTurns(input: ClearTurnsInput): Promise<StoreReply>;
  /** Deletes contents of the calling thread from the result store. It is safe to repeat. */
  eraseContents(input: EraseContentsInput): Promise<void>;
  /** Lets a model summarise the older turns of a run or a thread. */
  summarise(input: SummariseInput): Promise<SummariseResult>;
  /** Asks the server to cancel this run, so that it ends as Canceled. It never cancels a later run with the same id. */
  requestCancellation(input: { readonly firstExecutionRunId: string }): Promise<void>;
}
