import type { MachineInput } from './agent-run';
import type { ErrorCode } from './errors';
import type { Json, JsonObject, JsonSchema } from '../base/json';
import type { LogRef } from './log';
import type { AssistantPart, Usage, UserInput } from './message';
import type { Actor, AnswerRight, ApproverRule, Vote } from './people';
import type { SessionDelta } from './session';
import type {
  AgentToolPolicy,
  BudgetSpec,
  DefinitionRef,
  RunnerSpec,
  RunTypes,
  TypeOf,
} from './spec';

/** The place of a run in the tree. `root` is the workflow id of the root run, `path` the way from there. */
export type Lineage = {
  readonly root: string;
  readonly path: string;
  /** Ids of the runners above, root first. */
  readonly ancestors: readonly string[];
  readonly depth: number;
  /** Workflow id of the root run's child that this run is below. Absent for that child itself. */
  readonly branch?: string;
  /** Everything that the callers forbid. */
  readonly policy?: AgentToolPolicy;
  /** Hashes of the root run's key, so that a search for a user's runs finds child runs, too. */
  readonly key?: readonly string[];
  /** The id of the actor who started the root run. */
  readonly requester?: string;
  /** The ids of all whose words are in the runs above, with the requester. Absent if that is the requester alone. */
  readonly speakers?: readonly string[];
};

/** Whose run it is, and whose stored state it reads and writes. */
export type RunKey = {
  /** Default: the application of the run. */
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  /** Part of the key in stores, too. */
  readonly tenant?: string;
};

/** Part of the input of a turn's run: the thread, and the earlier turns for the model. */
export type ThreadTurn = {
  readonly workflowId: string;
  /** Counts from 1 over the whole thread. */
  readonly turn: number;
  readonly memory: LogRef;
};

/** The input of every workflow of Longhaul. A schedule, the Web UI or a client in any language starts a run with `{runner, input}`. */
export type RunInput = {
  /** The id of a registered runner, or its whole spec. */
  readonly runner: string | RunnerSpec;
  readonly input: UserInput;
  readonly session?: JsonObject;
  readonly key?: RunKey;
  readonly budget?: BudgetSpec;
  /** For code on the worker. The model never sees it. */
  readonly context?: JsonObject;
  /** The application whose workers run the code. Default: the name of the task queue. */
  readonly application?: string;
  /** Who asks for the run. */
  readonly by?: Actor;
  /** At most `limits.clientTools`. Only for an agent. */
  readonly clientTools?: readonly ClientTool[];
  /** W3C `traceparent` of the code that asks for the run. */
  readonly trace?: string;
  /** Only for a child: its place, the pinned definition, and the run with the session, if that is too long to travel. */
  readonly lineage?: Lineage;
  readonly definition?: DefinitionRef;
  readonly sessionFrom?: string;
  /** Only for a child whose input is too long to travel: where to read it. `input` is its beginning. */
  readonly inputFrom?: InputRef;
  /** Only for a turn of a thread. */
  readonly thread?: ThreadTurn;
  /** Only for a run that a workflow started: its place in the tree. A reset of the runs above does not change it. */
  readonly origin?: string;
};

/** An input that an execution of a run keeps for its children, by number. */
export type InputRef = {
  readonly workflowId: string;
  readonly runId: string;
  readonly number: number;
};

/** A question, an approval, a tool's result or a budget that a run waits for. Any run of its tree may have asked. */
export type PendingInput = Omit<MachineInput, 'kind'> & {
  readonly kind: MachineInput['kind'] | 'budget';
  readonly agentId: string;
  /** The way from the root: `pipeline/research/branch-2/lookup`. */
  readonly path: string;
  /** ISO 8601. */
  readonly since: string;
  /**
   * A random value, drawn with the question. The update ids of answers derive from it, so they do not reveal the answer. If a run asks
   * again after a reset, the new question takes an answer again.
   */
  readonly nonce?: string;
  /** ISO 8601. Absent if it waits for ever. */
  readonly expiresAt?: string;
  /** ISO 8601. The last reminder or escalation. The copy of a run above may be older. */
  readonly remindedAt?: string;
  /** A hash of all that a person sees before the verdict: the call and the preview. A verdict that names another one is refused. */
  readonly digest?: string;
  /** Who may decide. Absent if everybody may. */
  readonly by?: ApproverRule;
  /** The id of the actor who started the run, if `by` excludes the requester. */
  readonly requester?: string;
  /** The ids of all whose words were in the run when it asked, if `by` excludes them. An empty id: of somebody unknown. */
  readonly speakers?: readonly string[];
  /** Approvals so far, if one is not enough. */
  readonly votes?: readonly Vote[];
  /** What the tool's `show` made for the person. */
  readonly preview?: string;
  /** A verdict with other arguments does not approve: the run asks anew about the changed call. */
  readonly editAsksAnew?: true;
  /** Only for a tool: its result comes by the token that the tool's code passed on. A person should not give it. */
  readonly byToken?: true;
};

export type AgentRunResult<Types extends RunTypes = RunTypes> = {
  readonly finalResponse: {
    readonly text: string;
    readonly content: readonly AssistantPart[];
    readonly structured?: TypeOf<Types, 'structured'>;
  };
  /** Rounds of tool calls. */
  readonly iterations: number;
  readonly completionReason: string;
  /** Only for a parallel with `collect_all`: the JSON array of its branches' texts, in the order of the branches. */
  readonly combinedText?: string;
  /** The usage of the whole tree. */
  readonly usage: Usage;
  /** The cost of the whole tree in US dollars, without calls of models whose price the worker does not know. */
  readonly costUsd?: number;
  readonly session: TypeOf<Types, 'session'>;
  /** Only for a thread's turn: the tokens of its last model call, as the provider counts them. */
  readonly contextTokens?: number;
  /** Only for a thread's turn: the run had to summarise what the thread remembers. */
  readonly summarised?: true;
  /** Only for a thread's turn: the ids of messages that its model got while it worked. */
  readonly steered?: readonly string[];
  /** Only for a thread's turn: the tools that the agent called. */
  readonly toolCalls?: readonly CalledTool[];
  readonly warnings?: readonly string[];
};

/** A tool call without its result. `args` is absent if it is over 1 KiB, or if the model's arguments were not a JSON object. */
export type CalledTool = {
  readonly callId: string;
  readonly name: string;
  readonly args?: JsonObject;
  readonly isError?: true;
};

/** The spending of a run and the runs below it, and the amount by which people raised the limit from its caller. */
export type RunSpend = {
  readonly usage: Usage;
  /** The tokens, counted call by call. Absent if `usage` says the same. */
  readonly tokens?: number;
  readonly costUsd?: number;
  /** `provider/model` of calls whose cost is not in `costUsd`. */
  readonly unpriced?: readonly string[];
  readonly added?: { readonly tokens?: number; readonly costUsd?: number };
};

/** The result of a run for its calling run. It has only the changes of the session, so that the caller's history has no copies. */
export type ChildResult = Omit<AgentRunResult, 'session' | 'usage' | 'costUsd'> & {
  readonly delta: SessionDelta;
  readonly spend: RunSpend;
  /** As in `Lineage`, of the run and those below it. */
  readonly speakers?: readonly string[];
};

/** A child's message to its caller before it closes. It has the result if runs below are still open, or the spending after a cancel. */
export type ChildOutcome = { readonly child: string } & (
  { readonly result: ChildResult } | { readonly spend: RunSpend }
);

/** A run that has completed or waits. `needs-input` also has the fields of the first pending input, because usually there is only one. */
export type AgentRunOutcome<Types extends RunTypes = RunTypes> =
  | { readonly kind: 'complete'; readonly result: AgentRunResult<Types> }
  | ({ readonly kind: 'needs-input'; readonly pending: readonly PendingInput[] } & Omit<
      PendingInput,
      'kind'
    >);

/** Answer of the `outcome` update. `moved`: the run continues as new, so ask again. `ended`: read the result. */
export type OutcomeReply =
  | { readonly kind: 'complete'; readonly result: AgentRunResult }
  | { readonly kind: 'needs-input'; readonly pending: readonly PendingInput[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'ended' };

export type RunStatus =
  'loading' | 'running' | 'needs-input' | 'completed' | 'failed' | 'cancelled';

export function hasEnded(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** A signal that changed nothing, and why. */
export type RejectedSignal = {
  readonly signal: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: string;
};

export type OrchestrationKind = Exclude<RunnerSpec['kind'], 'agent'>;

/** Answer of the `state` query. */
export type RunState = {
  readonly status: RunStatus;
  /** Every pause adds one. Callers that wait for the same pause share one update. */
  readonly pauseSeq: number;
  readonly runner: string;
  /** Absent for an agent, and until the definition is loaded. */
  readonly kind?: OrchestrationKind;
  readonly path: string;
  readonly runId: string;
  readonly turn: number;
  readonly iterations: number;
  /** The usage of the run and of its ended child runs. */
  readonly usage: Usage;
  readonly costUsd?: number;
  readonly pending: readonly PendingInput[];
  readonly logLength: number;
  /** The last 20 rejected signals. */
  readonly rejected: readonly RejectedSignal[];
};

/** The `longhaul` key of a run's memo, at most 2 KiB. `describe` and `list` read it without a worker. */
export type RunMemo = {
  /** Only while the run waits for a person, or stays open after its end. Otherwise the server's own status says it. */
  readonly status?: RunStatus;
  readonly agent: string;
  /** Only for a child: its place below the root run. */
  readonly path?: string;
  /** A hash for each member of the run's key, or of the root run's key. */
  readonly key?: readonly string[];
  readonly pauseSeq?: number;
  readonly pending?: readonly Pick<
    PendingInput,
    'inputId' | 'kind' | 'question' | 'agentId' | 'path' | 'since' | 'nonce' | 'byToken'
  >[];
  /** The number of open inputs that did not fit. */
  readonly morePending?: number;
  /** Why the run was cancelled, and the id of the actor who did it. */
  readonly reason?: string;
  readonly by?: string;
};

/** Who cancelled a run, and why. */
export type Cancelling = { readonly reason: string; readonly by?: Actor };

/** A run that another run called. */
export type ChildView = {
  readonly workflowId: string;
  readonly runner: string;
  /** Absent for an agent. */
  readonly kind?: OrchestrationKind;
  readonly path: string;
  readonly status: 'open' | 'completed' | 'failed' | 'cancelled';
  /** The ids of those whose words are in its result, if there are others than who asked for the run. */
  readonly speakers?: readonly string[];
};

/** A child's message to the root run: all its open inputs. `branch` is the same as in `Lineage`. */
export type ChildInputs = {
  readonly child: string;
  readonly branch?: string;
  readonly inputs: readonly PendingInput[];
};

/** A person's answer on its way down to the run that asked. */
export type InputAnswer = AnsweredBy & { readonly inputId: string } & (
    | { readonly kind: 'answer'; readonly answer: Json }
    | { readonly kind: 'approve'; readonly args?: JsonObject }
    | { readonly kind: 'reject'; readonly reason: string }
    | { readonly kind: 'complete'; readonly value: Json }
    | { readonly kind: 'fail'; readonly reason: string }
  );

/** What every answer may say of itself. */
export type AnsweredBy = {
  readonly by?: Actor;
  /** A remark for the audit. The model does not see it. */
  readonly note?: string;
  /** The digest of what the person saw. */
  readonly seen?: string;
  /** For the hook of the workers that checks signatures. */
  readonly signature?: string;
  /** What the sender may do, if that is not everything: the run refuses the rest with `NotPermitted`. With `[]`, the sender has no right. */
  readonly may?: readonly AnswerRight[];
};

/**
 * Answer of the `nonce` query. It has no nonce if the run never listed such an input. `isBeginning`: the call has just begun, so its input
 * will open soon.
 */
export type NonceReply = { readonly nonce?: string; readonly isBeginning?: true };
export type ResumeInput = AnsweredBy & { readonly answer: Json; readonly inputId?: string };
/** `missing`: how many more approvals the input needs. Absent if it is answered. */
export type ResumeReply = {
  readonly accepted: true;
  readonly inputId: string;
  readonly missing?: number;
  /** The verdict changed the call: the run asks anew about it. */
  readonly asksAnew?: true;
};
export type ApproveInput = AnsweredBy & { readonly inputId: string; readonly args?: JsonObject };
export type RejectInput = AnsweredBy & { readonly inputId: string; readonly reason: string };
/** `proof`: the SHA-256 of the call's token, in hex, from somebody who has nothing else. */
export type CompleteInput = AnsweredBy & {
  readonly inputId: string;
  readonly value: Json;
  readonly proof?: string;
};
export type FailInput = AnsweredBy & {
  readonly inputId: string;
  readonly reason: string;
  readonly proof?: string;
};

/** A message to a run that works. A known `messageId` is a repetition. */
export type SteerInput = {
  readonly messageId: string;
  readonly text: string;
  /** `now` cuts the model call in progress. Default: after it. */
  readonly when?: 'next' | 'now';
  readonly by?: Actor;
};
export type SteerReply = { readonly messageId: string };

/** Moves a waiting run of an agent to another definition of this agent: to the one that the workers have under the id, or to a spec. */
export type MigrateInput = {
  readonly runner: string | RunnerSpec;
  readonly by?: Actor;
  /** A remark for the audit. The model does not see it. */
  readonly note?: string;
};
/** The beginnings of the hashes of both definitions. They are equal if the run has this definition already. */
export type MigrateReply = { readonly from: string; readonly to: string };

/** A tool that the client of one run brings, and completes. */
export type ClientTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly resultSchema?: JsonSchema;
  readonly resultTimeoutMs?: number;
};

export type ChildInputQuery = Pick<InputRef, 'number'>;
export type LogQuery = { readonly from: number; readonly deflate?: boolean };
