import type { CriterionSpec, ToolChoice } from './agent-run';
import type { JsonObject, JsonSchema } from '../base/json';

/** Provider-neutral settings of a model call; `extra` goes into the provider's request body as it is. */
export type ModelSettings = {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly reasoning?: {
    readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
    readonly budgetTokens?: number;
  };
  readonly extra?: JsonObject;
};

export type ModelRef = { readonly provider: string; readonly model: string };

export type RetrySpec = {
  readonly maximumAttempts?: number;
  readonly initialIntervalMs?: number;
  readonly backoffCoefficient?: number;
  readonly maximumIntervalMs?: number;
};

/** An activity of the user's own that a tool is: its type, and the queue of the workers that have it where that is not the run's. */
export type ActivityToolSpec = {
  readonly type: string;
  readonly taskQueue?: string;
  readonly heartbeatTimeoutMs?: number;
};

/** A tool of an MCP server, by the server's own name for it. */
export type McpToolSpec = { readonly server: string; readonly tool: string };

/** A tool as it is pinned in a run: everything but its code, which stays on the worker under `name`. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly effect?: 'read' | 'idempotent' | 'once';
  readonly onError?: 'return' | 'fail';
  /** `'ask'` when a function on the worker decides per call. */
  readonly needsApproval?: boolean | 'ask';
  /** Start-to-close of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  readonly retry?: RetrySpec;
  /** Session keys the tool may read and change. */
  readonly session?: readonly string[];
  readonly maxResultBytes?: number;
  /** Scheduled by the run itself, in place of our own activity. */
  readonly activity?: ActivityToolSpec;
  /** Where a worker finds it in place of code of its own. */
  readonly mcp?: McpToolSpec;
};

/** Callbacks as they are pinned in a run: everything but their code, which stays on the worker under `name`. */
export type CallbacksSpec = {
  readonly name: string;
  /** Session keys the callbacks may read and change. */
  readonly session?: readonly string[];
  /** Which hooks they have around tool calls: calls that a run schedules itself pay a round trip for each of them. */
  readonly toolHooks?: readonly ToolHook[];
};

export type ToolHook = 'beforeToolCall' | 'afterToolCall';

export type BudgetSpec = {
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly onExceeded?: 'ask' | 'fail';
};

/** Binds a called agent and everything below it. */
export type AgentToolPolicy = {
  readonly disallowSubAgentCalls?: boolean;
  readonly disallowedAgentIds?: readonly string[];
};

/** An id, or the whole spec where it travels along. In a pinned definition runners name each other by id. */
export type RunnerRef = string | RunnerSpec;

/** A runner offered to an agent as a tool. */
export type SubAgentSpec = {
  readonly name: string;
  readonly description: string;
  readonly runner: RunnerRef;
  readonly policy?: AgentToolPolicy;
  readonly onError?: 'return' | 'fail';
};

/** When a thread nears the model's context limit, its older turns are summarised. */
export type CompactionSpec = {
  /** The tokens of the model's context. */
  readonly contextTokens: number;
  /** The share of them, by the provider's own count, at which it happens. Default 0.8. */
  readonly at?: number;
  /** Turns that stay as they are. Default 4. */
  readonly keepTurns?: number;
  /** Default: the agent's own. */
  readonly model?: ModelRef;
};

/** What an agent is given of its thread's earlier turns. `store` names a memory store of the worker that turns are written to as well. */
export type MemorySpec =
  | { readonly kind: 'full'; readonly store?: string; readonly compact?: CompactionSpec }
  | {
      readonly kind: 'windowed';
      /** The last so many turns; 0 gives none. */
      readonly turns: number;
      readonly store?: string;
      readonly compact?: CompactionSpec;
    };

/** How a model may ask a person. A marker in its text pauses the run under `false`, too; `never` takes it as text. */
export type AskUser = 'tool' | 'marker' | false | 'never';

/** An agent as data. `tools` and `callbacks` are names of registered ones. */
export type AgentSpec = {
  readonly kind: 'agent';
  readonly id: string;
  readonly description?: string;
  readonly model: ModelRef;
  readonly instructions?: string;
  readonly tools?: readonly string[];
  readonly subAgents?: readonly SubAgentSpec[];
  /** MCP servers by name. When a run starts, their tools take their place in what it pins. */
  readonly mcpServers?: readonly string[];
  readonly toolConcurrency?: number;
  readonly maxIterations?: number;
  readonly maxTurns?: number;
  readonly criteria?: readonly CriterionSpec[];
  /** In the order they run. */
  readonly callbacks?: readonly string[];
  readonly toolChoice?: ToolChoice;
  readonly output?: { readonly schema: JsonSchema };
  readonly settings?: ModelSettings;
  readonly askUser?: AskUser;
  readonly inputTimeoutMs?: number;
  readonly onInputTimeout?: 'fail' | { readonly answer: string };
  readonly onInvalidToolCall?: 'retry' | 'fail' | 'ignore';
  readonly maxInvalidToolCalls?: number;
  readonly sessionPrecedence?: 'caller' | 'store';
  readonly budget?: BudgetSpec;
  readonly memory?: MemorySpec;
};

/** What every orchestration may say of itself. */
type OrchestrationSpec = {
  readonly id: string;
  readonly description?: string;
  readonly sessionPrecedence?: 'caller' | 'store';
  /** Over all runs below, together. */
  readonly budget?: BudgetSpec;
};

/** One runner after the other, with one session through all. */
export type SequentialSpec = OrchestrationSpec & {
  readonly kind: 'sequential';
  readonly steps: readonly RunnerRef[];
  /** What a step gets: the pipeline's input (default), the text of the step before it, or its `combinedText` where it has one. */
  readonly passOutput?: boolean | 'combined';
};

/** Runners at the same time, each with a copy of the session. */
export type ParallelSpec = OrchestrationSpec & {
  readonly kind: 'parallel';
  readonly branches: readonly RunnerRef[];
  /** All results (default), or that of the branch that completes first. */
  readonly merge?: 'collect_all' | 'first';
  /** With `first`: whether the other branches are cancelled. Default: they run to their end, for nothing. */
  readonly cancelRest?: boolean;
  /** How many branches run at a time. Default 50. */
  readonly concurrency?: number;
};

export type GraphTaskSpec = {
  readonly id: string;
  readonly runner: RunnerRef;
  /** Ids of the tasks whose results this one waits for. */
  readonly dependencies?: readonly string[];
  /** A template: `${input}`, `${task.output}`, `${task.structured.field}`, `${name}`. Default: the input and all results it waited for. */
  readonly prompt?: string;
  /** How often the task runs again after it failed. Default 0. */
  readonly maxRetries?: number;
};

/** Tasks, each of which starts as soon as those it depends on are done. */
export type GraphSpec = OrchestrationSpec & {
  readonly kind: 'graph';
  readonly tasks: readonly GraphTaskSpec[];
  /** Plain names the prompts use: keys of a dependency's JSON reply, or of the session. Derived from the prompts. */
  readonly params?: readonly string[];
};

/** A runner as data. */
export type RunnerSpec = AgentSpec | SequentialSpec | ParallelSpec | GraphSpec;

/** A runner by its id, as data, or as an object made by `defineAgent` and its like. */
export type RunnerLike = string | RunnerSpec | { readonly spec: RunnerSpec };

/**
 * Which pinned definition a call or a child belongs to: the first 32 characters of its hash, and the topmost run that pinned it where
 * that is another one. What stands in every activity's input is kept short: it is history.
 */
export type DefinitionRef = {
  readonly hash: string;
  readonly root?: string;
  /** The application whose code runs; left out where it is the task queue's name. */
  readonly application?: string;
};

/** The closure of a runner: all that a run pins in history when it starts. Canonical JSON of it has the hash runs are known by. */
export type Definition = {
  readonly format: 1;
  readonly runner: string;
  readonly runners: { readonly [id: string]: RunnerSpec };
  readonly tools: { readonly [name: string]: ToolSpec };
  /** There when an agent has any. */
  readonly callbacks?: { readonly [name: string]: CallbacksSpec };
};
