import type { ErrorCode } from './errors';
import type { Json } from '../base';
import { limits } from './limits';
import { logRefShape } from './log';
import {
  type AssistantPart,
  type ToolCallPart,
  type Usage,
  usageShape,
  type UserInput,
} from './message';
import { type Actor, actorShape, type AnswerRight, approverRuleShape, voteShape } from './people';
import { sessionDeltaShape } from './session';
import {
  amount,
  anObject,
  anything,
  filledText,
  flag,
  isTrue,
  jsonObject,
  listOf,
  type NoMembers,
  objectOf,
  type ObjectShape,
  oneOf,
  ordinal,
  type Shape,
  shortText,
  text,
  textLike,
  texts,
  type ValueOf,
} from './shapes';
import { idPatterns } from './names';
import {
  type BudgetSpec,
  definitionRefShape,
  type RunnerSpec,
  type RunTypes,
  type TypeOf,
} from './spec';

export const lineageShape = objectOf(
  {
    root: filledText,
    path: filledText,
    /** Ids of the runners above, root first. */
    ancestors: { ...listOf(text, limits.depth), minItems: 1 },
    depth: { ...ordinal, maximum: limits.depth },
  },
  {
    /** Workflow id of the root run's child that this run is below. Absent for that child itself. */
    branch: filledText,
    /** Everything that the callers forbid. */
    policy: objectOf({}, { disallowSubAgentCalls: flag, disallowedAgentIds: texts }),
    /** Hashes of the root run's key, so that a search for a user's runs finds child runs, too. */
    key: listOf(textLike('^(app|user|session|tenant)-[0-9a-f]{32}$'), 4),
    /** The id of the actor who started the root run. */
    requester: filledText,
    /** The ids of all people who have written something to the runs above, with the requester. Absent if that is the requester alone. */
    speakers: texts,
  },
);

/** The place of a run in the tree. `root` is the workflow id of the root run, `path` the way from there. */
export type Lineage = Shape<typeof lineageShape>;

/** The owner of a run. The run reads and writes the stored state of this owner. */
export type RunKey = {
  /** Default: the application of the run. */
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  /** Part of the key in stores, too. */
  readonly tenant?: string;
};

const threadTurnShape = objectOf({
  workflowId: filledText,
  /** Counts from 1 over the whole thread. */
  turn: ordinal,
  memory: logRefShape,
});

const inputRefShape = objectOf({ workflowId: filledText, runId: filledText, number: ordinal });

/** An input that an execution of a run keeps for its children, by number. */
export type InputRef = Shape<typeof inputRefShape>;

export const clientToolShape = objectOf(
  { name: textLike(idPatterns.tool.source), description: filledText, inputSchema: jsonObject },
  { resultSchema: jsonObject, resultTimeoutMs: ordinal },
);

/** A tool that the client of one run brings, and completes. */
export type ClientTool = Shape<typeof clientToolShape>;

/** Members that only a run or a thread sends to its child. */
export const childMembers = {
  /** Only for a child: its place, the pinned definition, and the run with the session, if that is too long to travel. */
  lineage: lineageShape,
  definition: { ...definitionRefShape, required: ['hash', 'root'] },
  sessionFrom: filledText,
  /** Only for a child with an input that is too long to travel: where to read it. `input` is its beginning. */
  inputFrom: inputRefShape,
  /** Only for a turn of a thread. */
  thread: threadTurnShape,
  /** Only for a run that a workflow started: its place in the tree. A reset of the runs above does not change it. */
  origin: filledText,
};

export const runInputShape = objectOf(
  {
    /** The id of a registered runner, or its whole spec. */
    runner: anything<string | RunnerSpec>(),
    input: anything<UserInput>(),
  },
  {
    session: jsonObject,
    key: anObject<RunKey>(),
    budget: anObject<BudgetSpec>(),
    /** For code on the worker. The model never sees it. */
    context: jsonObject,
    /** The application with the code. Default: the name of the task queue. */
    application: text,
    /** Who asks for the run. */
    by: actorShape,
    /** At most `limits.clientTools`. Only for an agent. */
    clientTools: listOf(clientToolShape),
    /** W3C `traceparent` of the code that asks for the run. */
    trace: text,
    ...childMembers,
  },
);

/** The input of every workflow of Longhaul. A schedule, the Web UI or a client in any language starts a run with `{runner, input}`. */
export type RunInput = Shape<typeof runInputShape>;

export const pendingInputShape = objectOf(
  {
    inputId: filledText,
    /** `tool`: the call waits for a result from elsewhere. */
    kind: oneOf('question', 'approval', 'tool', 'budget'),
    question: text,
    agentId: filledText,
    /** The way from the root: `pipeline/research/branch-2/lookup`. */
    path: filledText,
    /** ISO 8601. */
    since: text,
  },
  {
    options: texts,
    /** The answer or result must match it. */
    schema: jsonObject,
    call: anObject<ToolCallPart>(),
    /**
     * A random value, drawn with the question. The update ids of answers derive from it, so they do not reveal the answer. If a run asks
     * again after a reset, the new question takes an answer again.
     */
    nonce: text,
    /** ISO 8601. Absent if it waits for ever. */
    expiresAt: text,
    /** ISO 8601. The last reminder or escalation. The copy of a run above may be older. */
    remindedAt: text,
    /** A hash of all that a person sees before the verdict: the call and the preview. A verdict that names another one is refused. */
    digest: text,
    /** Who may decide. Absent if everybody may. */
    by: approverRuleShape,
    /** The id of the actor who started the run, if `by` excludes the requester. */
    requester: text,
    /**
     * The ids of all people who had written something to the run when it asked, if `by` excludes them. An empty id stands for an unknown
     * person.
     */
    speakers: texts,
    /** Approvals so far, if one is not enough. */
    votes: listOf(voteShape),
    /** What the tool's `show` made for the person. */
    preview: text,
    /** A verdict with other arguments does not approve: the run asks again, about the changed call. */
    editAsksAnew: isTrue,
    /** Only for a tool: its result comes by the token that the tool's code passed on. A person should not give it. */
    byToken: isTrue,
  },
);

/** A question, an approval, a tool's result or a budget that a run waits for. Any run of its tree may have asked. */
export type PendingInput = Shape<typeof pendingInputShape> & {
  /**
   * What the tool of the worker that answered refuses in the arguments of the call, in at most 300 bytes. As of now: runs neither keep nor
   * send it. Approved as it is, the call will not run. `schema` is then that of the deployed tool.
   */
  readonly outdated?: string;
};

const calledToolShape = objectOf(
  { callId: text, name: text },
  { args: jsonObject, isError: isTrue },
);

/** A tool call without its result. `args` is absent if it is over 1 KiB, or if the model's arguments were not a JSON object. */
export type CalledTool = Shape<typeof calledToolShape>;

const runSpendShape = objectOf(
  { usage: usageShape },
  {
    /** The tokens, counted call by call. Absent if `usage` has the same number. */
    tokens: amount,
    costUsd: amount,
    /** `provider/model` of calls that `costUsd` does not include. */
    unpriced: texts,
    added: objectOf({}, { tokens: amount, costUsd: amount }),
  },
);

/** The spending of a run and the runs below it, and the amount by which people raised the limit from its caller. */
export type RunSpend = Shape<typeof runSpendShape>;

const childResultShape = objectOf(
  {
    finalResponse: objectOf(
      { text, content: listOf(anObject<AssistantPart>()) },
      { structured: anything<Json>() },
    ),
    /** Rounds of tool calls. */
    iterations: amount,
    completionReason: text,
    delta: sessionDeltaShape,
    spend: runSpendShape,
  },
  {
    /** Only for a parallel with `collect_all`: the JSON array of its branches' texts, in the order of the branches. */
    combinedText: text,
    /** Only for a thread's turn: the tokens of its last model call, as the provider counts them. */
    contextTokens: amount,
    /** Only for a thread's turn: the run had to summarise what the thread remembers. */
    summarised: isTrue,
    /** Only for a thread's turn: the ids of messages that its model got while it worked. */
    steered: texts,
    /** Only for a thread's turn: the tools that the agent called. */
    toolCalls: listOf(calledToolShape),
    warnings: texts,
    /** As in `Lineage`, of the run and those below it. */
    speakers: texts,
  },
);

/** The result of a run for its calling run. It has only the changes of the session, so that the caller's history has no copies. */
export type ChildResult = Shape<typeof childResultShape>;

export type AgentRunResult<Types extends RunTypes = RunTypes> = Omit<
  ChildResult,
  'finalResponse' | 'delta' | 'spend' | 'speakers'
> & {
  readonly finalResponse: Omit<ChildResult['finalResponse'], 'structured'> & {
    readonly structured?: TypeOf<Types, 'structured'>;
  };
  /** The usage of the whole tree. */
  readonly usage: Usage;
  /** The cost of the whole tree in US dollars. It does not include models with a price that the worker does not know. */
  readonly costUsd?: number;
  readonly session: TypeOf<Types, 'session'>;
};

export const childResultMessage = objectOf({ child: filledText, result: childResultShape });
export const childSpendMessage = objectOf({ child: filledText, spend: runSpendShape });

/** A child's message to its caller before it closes. It has the result if runs below are still open, or the spending after a cancel. */
export type ChildOutcome = ValueOf<typeof childResultMessage | typeof childSpendMessage>;

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
  /** Only while the run waits for a person, or stays open after its end. Otherwise the server's own status is enough. */
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
  /** The ids of all people who wrote something that is in its result. Absent if that is the requester alone. */
  readonly speakers?: readonly string[];
};

export const childInputsShape = objectOf(
  { child: filledText, inputs: listOf(pendingInputShape, limits.sentInputs) },
  { branch: filledText },
);

/** A child's message to the root run: all its open inputs. `branch` is the same as in `Lineage`. */
export type ChildInputs = Shape<typeof childInputsShape>;

const remarks = {
  by: actorShape,
  /** A remark for the audit. The model does not see it. */
  note: text,
  /** The digest of what the person saw. */
  seen: text,
  /** For the hook of the workers that checks signatures. */
  signature: text,
  /** What the sender may do, if that is not everything: the run refuses the rest with `NotPermitted`. With `[]`, the sender has no right. */
  may: listOf(anything<AnswerRight>()),
};

/** The members that every answer may have. */
export type AnsweredBy = Shape<ObjectShape<NoMembers, typeof remarks>>;

/**
 * Answer of the `nonce` query. It has no nonce if the run never listed such an input. `isBeginning`: the call has just begun, so its input
 * will open soon.
 */
export type NonceReply = { readonly nonce?: string; readonly isBeginning?: true };

const oneInput = { inputId: filledText };
const proved = {
  ...remarks,
  /** The SHA-256 of the call's token, in hex. It is enough to answer the call. */
  proof: text,
};

export const answerShapes = {
  answer: objectOf({ answer: anything<Json>() }, { ...oneInput, ...remarks }),
  approve: objectOf(oneInput, { args: jsonObject, ...remarks }),
  reject: objectOf({ ...oneInput, reason: text }, remarks),
  complete: objectOf({ ...oneInput, value: anything<Json>() }, proved),
  fail: objectOf({ ...oneInput, reason: text }, proved),
};

export type AnswerKind = keyof typeof answerShapes;

/** What a person answered. Only an answer to a question may omit the input's id. */
export type Answer = {
  [Kind in AnswerKind]: { readonly kind: Kind } & Shape<(typeof answerShapes)[Kind]>;
}[AnswerKind];

/** A person's answer on its way down to the run that asked. */
export type InputAnswer = Answer & { readonly inputId: string };

export type ResumeInput = Shape<typeof answerShapes.answer>;
export type ApproveInput = Shape<typeof answerShapes.approve>;
export type RejectInput = Shape<typeof answerShapes.reject>;
export type CompleteInput = Shape<typeof answerShapes.complete>;
export type FailInput = Shape<typeof answerShapes.fail>;

/** `missing`: how many more approvals the input needs. Absent if it is answered. */
export type ResumeReply = {
  readonly accepted: true;
  readonly inputId: string;
  readonly missing?: number;
  /** The verdict changed the call: the run asks again about it. */
  readonly asksAnew?: true;
};
export const steerInputShape = objectOf(
  { messageId: shortText, text },
  {
    /** `now` cuts the model call in progress. Default: after it. */
    when: oneOf('next', 'now'),
    by: actorShape,
  },
);

/** A message to a run that works. A known `messageId` is a repetition. */
export type SteerInput = Shape<typeof steerInputShape>;
export type SteerReply = { readonly messageId: string };

export const migrateInputShape = objectOf(
  { runner: anything<string | RunnerSpec>() },
  {
    by: actorShape,
    /** A remark for the audit. The model does not see it. */
    note: text,
  },
);

/** Moves a waiting run of an agent to another definition of this agent: to the one that the workers have under the id, or to a spec. */
export type MigrateInput = Shape<typeof migrateInputShape>;
/** The beginnings of the hashes of both definitions. They are equal if the run has this definition already. */
export type MigrateReply = { readonly from: string; readonly to: string };

export type ChildInputQuery = Pick<InputRef, 'number'>;
export type LogQuery = { readonly from: number; readonly deflate?: boolean };
