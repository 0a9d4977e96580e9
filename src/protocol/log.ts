import type { Json, JsonObject } from '../base';
import { anObject, count, filledText, listOf, objectOf, type Shape, texts } from './shapes';
import type { Actor, Verdict } from './people';
import type {
  AssistantPart,
  FinishReason,
  Message,
  Origin,
  ResponseIds,
  ToolResult,
  Usage,
  UserMessage,
} from './message';

/** The worker's findings about a turn, for the machine. Criteria and callbacks run on the worker, beside the model call. */
export type TurnChecks = {
  /** One result for each criterion that the worker checks, in the order of the spec. */
  readonly criteria?: readonly CriterionResult[];
  /** Indexes of the calls of this turn that need a person's approval. */
  readonly approvals?: readonly number[];
  /** Wrong arguments of calls that the run schedules itself. `index` counts as in `approvals`. */
  readonly argumentProblems?: readonly CallAnswer[];
  /** Why the output (the output tool's arguments, or the text) does not match the output schema. */
  readonly outputViolation?: string;
  /** The callbacks' decisions about calls of tools that are not allowed. `index` counts all calls of the provider. */
  readonly invalidToolCalls?: readonly InvalidToolCallDecision[];
  readonly abort?: string;
  readonly override?: string;
};

/** The action for a call of a tool that is not allowed. */
export type InvalidToolCallAction =
  | { readonly kind: 'fail' }
  | { readonly kind: 'retry'; readonly feedback: string }
  | { readonly kind: 'repair'; readonly name: string }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'stop'; readonly reason: string };

export type InvalidToolCallDecision = {
  readonly index: number;
  readonly action: InvalidToolCallAction;
};

export type CriterionResult = {
  readonly met: boolean;
  readonly missing?: string;
  readonly value?: Json;
};

/** The result of a model call, as the provider gave it. It is the result of one activity. */
export type ModelTurnEvent = {
  readonly kind: 'model-turn';
  readonly content: readonly AssistantPart[];
  readonly usage: Usage;
  readonly finishReason?: FinishReason;
  readonly origin?: Origin;
  readonly ids?: ResponseIds;
  readonly checks?: TurnChecks;
};

/**
 * The result of a tool. Its `turn` and `index` name the call. `inline`: the call ran in the activity of the model call. `rejected`: the call
 * did not run, because a person rejected it after its arguments had been changed. `upgraded`: the arguments that the tool's `accepts` made of
 * those of an earlier version, as JSON text of at most 8 KiB.
 */
export type ToolResultEvent = {
  readonly kind: 'tool-result';
  readonly result: ToolResult;
  readonly inline?: true;
  readonly rejected?: true;
  readonly upgraded?: string;
};

/** The members beside `message` belong to a message that came while the run worked. */
export type UserEvent = {
  readonly kind: 'user';
  readonly message: UserMessage;
  readonly messageId?: string;
  readonly by?: Actor;
  /** ISO 8601. When the run took it; its model may have got it later. */
  readonly at?: string;
};

/** A text that becomes the error result of a call of the last model turn. In decisions, `index` does not count ignored calls. */
export type CallAnswer = { readonly index: number; readonly text: string };

/**
 * A decision or an addition of the machine. It changes the meaning of earlier entries, because nobody ever rewrites an entry.
 * In `repair-call` and `ignore-call`, `index` counts all calls of the last model turn from the provider.
 */
export type Decision =
  /** The caller's history, before the prompt. */
  | { readonly kind: 'history'; readonly messages: readonly Message[] }
  /** The call goes into history under another name. */
  | { readonly kind: 'repair-call'; readonly index: number; readonly name: string }
  /** The machine drops the call from its turn. */
  | { readonly kind: 'ignore-call'; readonly index: number }
  /** No call of the last model turn runs. The listed calls get their own answer, the others a constant one. */
  | { readonly kind: 'answer-calls'; readonly answers: readonly CallAnswer[] }
  /** A person changed the arguments of a call that waits. Its result will have a note about that. */
  | {
      readonly kind: 'edit-call';
      readonly turn: number;
      readonly index: number;
      readonly args: JsonObject;
    }
  /** History keeps the last model turn as this text: an output-tool call, or an overridden response. */
  | { readonly kind: 'replace-turn'; readonly text: string }
  /** A user message written by the machine: criteria feedback, re-prompts. */
  | { readonly kind: 'feedback'; readonly text: string }
  /** The last model turn was a pause of its provider. The model continues from it. */
  | { readonly kind: 'go-on' }
  /**
   * The prompt has a short note in place of each result of the first `through` model turns that is over `over` bytes. Results of the tools
   * in `except` stay, because nobody should call them again, unless the store still has the result.
   */
  | {
      readonly kind: 'clear-results';
      readonly through: number;
      readonly over: number;
      readonly except?: readonly string[];
    }
  | Verdict
  /** What a person sees of a call that waits for approval, as the tool's `show` made it. */
  | {
      readonly kind: 'preview';
      readonly turn: number;
      readonly index: number;
      readonly text: string;
    }
  | Migration;

/** The run moves to another definition of its agent. `from` and `to`: the beginnings of the hashes. */
export type Migration = {
  readonly kind: 'migration';
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
  readonly by?: Actor;
  readonly note?: string;
};

/** A decision that people made or saw. It changes no message. */
export type PersonNote = Extract<Decision, { kind: 'verdict' | 'preview' | 'migration' }>;

/** A decision that makes prompts smaller. It changes no turn. */
export type Clearing = Extract<Decision, { kind: 'clear-results' }>;

export type DecisionEvent = { readonly kind: 'decision'; readonly decision: Decision };

/**
 * Replaces, in prompts, the first `through` model turns of the log and the messages that led to them. A turn's number is its place among
 * the model turns of the log, from 1. In the run of a thread's turn, it also stands for the earlier turns of the thread.
 */
export type SummaryEvent = {
  readonly kind: 'summary';
  readonly text: string;
  readonly through: number;
};

/** One event of a run. `foldLog` turns the events into messages. */
export type LogEvent = UserEvent | ModelTurnEvent | ToolResultEvent | DecisionEvent | SummaryEvent;

/**
 * An event with its id. A worker may hold an entry before history has it. The activity's attempt draws a random id for such an entry.
 * All other ids are `<runId>/<n>`.
 */
export type LogEntry = LogEvent & { readonly id: string };

/** An event on its way into a log. It keeps its id, or gets one. */
export type NewEntry<Event extends LogEvent = LogEvent> = Event & { readonly id?: string };

export const logRefShape = objectOf(
  {
    workflowId: filledText,
    runId: filledText,
    length: count,
    /** Ids of the entries since the last model call, newest last. */
    tail: texts,
    /** Rolling hash of all `length` ids. */
    digest: filledText,
  },
  {
    /** Small entries of `tail` that no worker produced. They travel in the reference. */
    entries: listOf(anObject<LogEntry>()),
  },
);

/** Names the first `length` entries of a run's log. Activity inputs contain it in place of a transcript. */
export type LogRef = Shape<typeof logRefShape>;

/** Answer of the `log` query: at most one page of entries from `from` on. */
export type LogPage = {
  readonly from: number;
  readonly entries: readonly LogEntry[];
  readonly length: number;
  readonly digest: string;
};
