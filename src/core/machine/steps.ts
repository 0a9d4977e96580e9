import type {
  CriterionSpec,
  InvalidToolCallAction,
  MachineInput,
  PendingToolCall,
  ToolChoice,
} from '../../protocol/agent-run';
import type { Json } from '../../base';
import type { TurnChecks } from '../../protocol/log';
import type {
  AssistantPart,
  CompletionCall,
  FinishReason,
  Message,
  Origin,
  ResponseIds,
  Usage,
} from '../../protocol/message';

export type { CriterionSpec, InvalidToolCallAction, MachineInput, PendingToolCall, ToolChoice };

/** The next thing for the driver to do. */
export type MachineStep =
  | { readonly kind: 'call-model'; readonly turn: number }
  | {
      readonly kind: 'call-tools';
      readonly calls: readonly PendingToolCall[];
      /** Inputs that people may answer while the calls run. */
      readonly waiting: readonly MachineInput[];
    }
  | { readonly kind: 'needs-input'; readonly inputs: readonly MachineInput[] }
  | { readonly kind: 'done'; readonly response: AgentRunResponse };

/** The answer of a model call. */
export type ModelTurn = {
  /** The id of the turn's log entry, if the turn already has one. */
  readonly id?: string;
  readonly content: readonly AssistantPart[];
  readonly usage: Usage;
  readonly finishReason?: FinishReason;
  /** Names of the tools that can run in this turn. */
  readonly tools: readonly string[];
  /** Names that the turn may call. By default they follow from `tools` and the tool choice. */
  readonly allowed?: readonly string[];
  readonly ids?: ResponseIds;
  readonly checks?: TurnChecks;
  readonly origin?: Origin;
};

/** How the run goes on after a turn. `needs-resolution`: call `resolveInvalidToolCall`. */
export type ModelTurnOutcome =
  /** `hookSuppressed`: a repair or a skip changed the turn, so hooks do not see the response. */
  | { readonly kind: 'continue'; readonly hookSuppressed: boolean }
  | { readonly kind: 'turn-retried' }
  | { readonly kind: 'needs-resolution'; readonly context: InvalidToolCallContext };

/** The facts about a call of a tool that is not allowed. */
export type InvalidToolCallContext = {
  readonly toolName: string;
  readonly callId: string;
  readonly args: string;
  readonly executable: readonly string[];
  readonly allowed: readonly string[];
  readonly toolChoice: ToolChoice;
  /** The conversation, with the turn of the call. The calls of that turn have no results. */
  readonly history: readonly Message[];
  readonly isStreaming: boolean;
  readonly reason: 'unknown-tool' | 'disallowed-by-tool-choice';
};

/** What a completed run returns. */
export type AgentRunResponse = {
  /** The text parts of `content`, joined without a separator. */
  readonly text: string;
  readonly content: readonly AssistantPart[];
  readonly structured?: Json;
  readonly usage: Usage;
  readonly completionCalls: readonly CompletionCall[];
  readonly messages: readonly Message[];
  readonly iterations: number;
  readonly completionReason: string;
};

/** Usage, finish reason and ids of a model call. */
export type CompletionCallHead = Omit<CompletionCall, 'callIndex' | 'turn'>;
