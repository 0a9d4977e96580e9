import type { Json, JsonObject, JsonSchema } from '../base/json';
import type { AgentSpec, RunnerSpec, SubAgentSpec } from '../define/schema/orchestration';

// The fields of runners are written in `define/schema`; these are their types in history and on the wire.

export type {
  AgentSpec,
  GraphSpec,
  GraphTaskSpec,
  ParallelSpec,
  RunnerRef,
  RunnerSpec,
  SequentialSpec,
  SubAgentSpec,
} from '../define/schema/orchestration';

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

/** The `settings` of an agent. `extra` goes into the provider's request body as it is. */
export type ModelSettings = NonNullable<AgentSpec['settings']>;
export type ModelRef = AgentSpec['model'];
export type BudgetSpec = NonNullable<AgentSpec['budget']>;
/** What an agent is given of its thread's earlier turns. */
export type MemorySpec = NonNullable<AgentSpec['memory']>;
/** When a thread nears the model's context limit, its older turns are summarised. */
export type CompactionSpec = NonNullable<MemorySpec['compact']>;
/** How a model may ask a person. */
export type AskUser = NonNullable<AgentSpec['askUser']>;
/** Binds a called agent and everything below it. */
export type AgentToolPolicy = NonNullable<SubAgentSpec['policy']>;

/** The types of a definition's runs. `unknown` stands for any JSON. */
export type RunTypes = {
  /** `finalResponse.structured`. */
  readonly structured: unknown;
  readonly session: unknown;
  readonly context: unknown;
};

type JsonTypes = {
  readonly structured: Json;
  readonly session: JsonObject;
  readonly context: JsonObject;
};

export type TypeOf<
  Types extends RunTypes,
  Name extends keyof RunTypes,
> = unknown extends Types[Name] ? JsonTypes[Name] : Types[Name];

/** Carries types alone: no value has the member. */
export type Typed<Types extends RunTypes> = { readonly '~types'?: Types };

/** The types of a definition's runs, for a client that knows only the id: `start<TypesOf<typeof triage>>('triage', …)`. */
export type TypesOf<Definition> =
  Definition extends Typed<infer Types extends RunTypes> ? Types : RunTypes;

/** A runner that the workers know: its id, or the object from `defineAgent` and its like. */
export type KnownRunner<Types extends RunTypes = RunTypes> =
  string | ({ readonly spec: RunnerSpec } & Typed<Types>);

/** A runner with its spec: as data, or as the object from `defineAgent` and its like. */
export type RunnerWithSpec<Types extends RunTypes = RunTypes> =
  RunnerSpec | ({ readonly spec: RunnerSpec } & Typed<Types>);

/**
 * Which pinned definition a call or a child belongs to: the first 32 characters of its hash, and the root run that pinned it where
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
