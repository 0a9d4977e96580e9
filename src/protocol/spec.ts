import type { Json, JsonObject, JsonSchema } from '../base';
import type { AgentSpec, RunnerSpec, SubAgentSpec } from '../define/schema';
import type { ApprovalPolicy } from './people';
import { filledText, objectOf, type Shape, textLike } from './shapes';

// `define/schema` defines the fields of runners. These are their types in history and on the wire.

export type {
  AgentSpec,
  GraphSpec,
  GraphTaskSpec,
  ParallelSpec,
  RunnerRef,
  RunnerSpec,
  SequentialSpec,
  SubAgentSpec,
} from '../define/schema';

export type RetrySpec = {
  readonly maximumAttempts?: number;
  readonly initialIntervalMs?: number;
  readonly backoffCoefficient?: number;
  readonly maximumIntervalMs?: number;
};

/** A tool that is the user's own activity: the activity's type, and the queue of its workers, if it is not the run's queue. */
export type ActivityToolSpec = {
  readonly type: string;
  readonly taskQueue?: string;
  readonly heartbeatTimeoutMs?: number;
};

/** A tool of an MCP server. `tool` is the server's own name for it. */
export type McpToolSpec = { readonly server: string; readonly tool: string };

/** A tool in a pinned definition. It has everything except the code, which stays on the worker under `name`. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly effect?: 'read' | 'idempotent' | 'once';
  readonly onError?: 'return' | 'fail';
  /** `'ask'` if a function on the worker decides for each call. */
  readonly needsApproval?: boolean | 'ask';
  /** The rules for its approvals, if `needsApproval` has rules. */
  readonly approval?: ApprovalPolicy;
  /** Who gives the result: the client of the run, or the receiver of the token that `execute` passes on. Absent: `execute`. */
  readonly result?: 'client' | 'later';
  /** A result from elsewhere must match it. */
  readonly resultSchema?: JsonSchema;
  /** How long a call waits for a result from elsewhere. */
  readonly resultTimeoutMs?: number;
  /** Start-to-close timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  readonly retry?: RetrySpec;
  /** Calls run in the activity of the model call where they can. Never with effect `once`. */
  readonly inline?: boolean;
  /** Session keys that the tool may read and change. */
  readonly session?: readonly string[];
  readonly maxResultBytes?: number;
  /** The run schedules this activity itself, in place of Longhaul's own activity. */
  readonly activity?: ActivityToolSpec;
  /** The server of the tool. The worker calls it in place of own code. */
  readonly mcp?: McpToolSpec;
};

/** Callbacks in a pinned definition. They have everything except the code, which stays on the worker under `name`. */
export type CallbacksSpec = {
  readonly name: string;
  /** Session keys that the callbacks may read and change. */
  readonly session?: readonly string[];
  /** The hooks around tool calls. A call that a run schedules itself pays a round trip for each hook. */
  readonly toolHooks?: readonly ToolHook[];
};

export type ToolHook = 'beforeToolCall' | 'afterToolCall';

/** The `settings` of an agent. `extra` goes into the provider's request body as it is. */
export type ModelSettings = NonNullable<AgentSpec['settings']>;
export type ModelRef = AgentSpec['model'];
export type BudgetSpec = NonNullable<AgentSpec['budget']>;
/** The earlier turns of its thread that an agent gets. */
export type MemorySpec = NonNullable<AgentSpec['memory']>;
/** What happens when a prompt outgrows the model's context. */
export type ContextSpec = NonNullable<AgentSpec['context']>;
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

/** Carries only types. No value has the member. */
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

export const definitionRefShape = objectOf(
  { hash: textLike('^[0-9a-f]+$') },
  {
    root: filledText,
    /** The run that has the definition, if it is not the root run: a run below that has moved to another definition. */
    holder: filledText,
    /** The thread that the root run is a turn of. Contents of its runs in the result store belong to the thread. */
    thread: filledText,
    /** The application with the code. Absent if it is the name of the task queue. */
    application: filledText,
  },
);

/**
 * The pinned definition of a call or a child: the first 32 characters of the hash, and the root run that pinned it, if that is another
 * run. It is short, because every activity's input contains it, and history keeps them all.
 */
export type DefinitionRef = Shape<typeof definitionRefShape>;

/** The closure of a runner: all that a run pins in history at its start. Runs name it by the hash of its canonical JSON. */
export type Definition = {
  readonly format: 1;
  readonly runner: string;
  readonly runners: { readonly [id: string]: RunnerSpec };
  readonly tools: { readonly [name: string]: ToolSpec };
  /** Present if an agent has callbacks. */
  readonly callbacks?: { readonly [name: string]: CallbacksSpec };
};
