// The events of a stream: what a run does, for people who watch. They come from the log of each run, from the states of the runs, and from
// live deltas. The log decides.
//
// 1. A step is one model turn. It belongs to the run `workflowId`, and `turn` counts the turns of that run's log, from 1.
// 2. The deltas of a step, one after the other, are the content of its `step-end`. Two texts in a row may stream as one part, and a refusal
//    streams as text. Media and opaque parts are only in `step-end`.
// 3. `step-begin` voids all earlier events of this turn: a new attempt begins, or the step comes again because the log differs from what
//    streamed. A `user` or `feedback` event voids a step without `step-end`, which then begins again.
// 4. A step without `step-end` at the end of its run does not count: the run keeps nothing of it.
// 5. Each call of a step gets one `result`, or none if the run ends before. A later `result` of the same call replaces the earlier one.
// 6. There are no events for the caller's history, for summaries and for cleared results: they only change what the model gets.
// 7. Steps of different runs of a tree may interleave. Events of one run are in order.

import type { Json, JsonObject } from '../../base';
import type { ErrorCode } from '../../protocol/errors';
import type { LivePlace } from '../../protocol/live';
import type { Actor, Verdict } from '../../protocol/people';
import type {
  AssistantPart,
  FinishReason,
  Origin,
  ToolCallPart,
  ToolResult,
  Usage,
  UserMessage,
} from '../../protocol/message';
import type { AgentRunResult, PendingInput, RunStatus } from '../../protocol/run';

/** The run of an event. */
export type StreamPlace = LivePlace;

/** Names a call of a step. `index` counts the calls of the turn. */
export type StreamedCall = {
  readonly turn: number;
  readonly index: number;
  readonly callId: string;
};

type Happening =
  /** A message of a person: the input of the run, or a message while it works, which has an id. */
  | {
      readonly type: 'user';
      readonly message: UserMessage;
      readonly messageId?: string;
      readonly by?: Actor;
    }
  /** A message that the run itself wrote to its model about this turn, such as what a criterion missed. */
  | { readonly type: 'feedback'; readonly turn: number; readonly text: string }
  /** A model call begins, or begins again. `attempt` is that of the worker, and 1 if it is not known. */
  | { readonly type: 'step-begin'; readonly turn: number; readonly attempt: number }
  /** `part` counts the parts of the step, from 0, in the order in which they begin. */
  | {
      readonly type: 'text' | 'reasoning';
      readonly turn: number;
      readonly part: number;
      readonly delta: string;
    }
  | ({ readonly type: 'call-begin'; readonly part: number; readonly name: string } & StreamedCall)
  /** A piece of the arguments, as JSON text. */
  | ({ readonly type: 'call-delta'; readonly part: number; readonly delta: string } & StreamedCall)
  /** The arguments are complete. The call is as the run will make it: with a repaired name, without calls that the run drops. */
  | ({ readonly type: 'call'; readonly part: number; readonly call: ToolCallPart } & StreamedCall)
  /** The turn is in the log. `content` is as the conversation keeps it. It is empty if the conversation keeps nothing. */
  | {
      readonly type: 'step-end';
      readonly turn: number;
      readonly content: readonly AssistantPart[];
      readonly finishReason?: FinishReason;
      readonly usage: Usage;
      /** Which model wrote it. */
      readonly origin?: Origin;
    }
  /** A person changed the arguments of a call that waited for approval. */
  | ({ readonly type: 'call-edited'; readonly args: JsonObject } & StreamedCall)
  /** The result as the tool gave it. `turn` and `index` are beside it, not in it. */
  | ({ readonly type: 'result'; readonly name: string; readonly result: ToolResult } & StreamedCall)
  /** Somebody decided about an input of this run. */
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  /** An input opened, or changed: more votes, a reminder. Only of the root, which lists the inputs of all runs below it. */
  | { readonly type: 'input'; readonly input: PendingInput }
  /** The input is not open any more: somebody answered it, or its run ended. */
  | { readonly type: 'input-end'; readonly inputId: string }
  /** No worker answers for the run, or the server is away. The stream goes on when they are back. */
  | { readonly type: 'stalled'; readonly reason: 'worker' | 'server' }
  /** The run does nothing until people answer. Nothing comes before that. Only of the root. */
  | {
      readonly type: 'paused';
      readonly pauseSeq: number;
      readonly pending: readonly PendingInput[];
    }
  /** The run has ended. The last event of its stream. */
  | {
      readonly type: 'end';
      readonly status: Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>;
      readonly result?: Pick<AgentRunResult, 'completionReason' | 'usage' | 'costUsd'> & {
        readonly text: string;
        readonly structured?: Json;
      };
      readonly error?: { readonly code: ErrorCode; readonly message: string };
    };

/**
 * One event. `position` names the place in the stream: a stream that begins there repeats the step in progress and nothing before it. Treat
 * it as opaque.
 */
export type StreamEvent = StreamPlace & { readonly position: string } & Happening;

/** An event without its position. */
export type UnplacedEvent = StreamPlace & Happening;

/** What the log and the live events of a run give. The other events come from its state. */
export type LogHappening = Exclude<
  Happening,
  { readonly type: 'input' | 'input-end' | 'stalled' | 'paused' | 'end' }
>;
