import type {
  CriterionSpec,
  InvalidToolCallAction,
  MachineInput,
  PendingToolCall,
  ToolChoice,
} from '../../protocol/agent-run';
import type { Json } from '../../base/json';
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

export type { CriterionSpec, InvalidToolCallAction, PendingToolCall, ToolChoice };

/** What the machine waits for; a run adds who asks and since when. */
export type PendingInput = MachineInput;

/** What the driver has to do next. */
export type MachineStep =
  | { readonly kind: 'call-model'; readonly turn: number }
  | {
      readonly kind: 'call-tools';
      readonly calls: readonly PendingToolCall[];
      /** May be answered while the calls run. */
      readonly waiting: readonly PendingInput[];
    }
  | { readonly kind: 'needs-input'; readonly inputs: readonly PendingInput[] }
  | { readonly kind: 'done'; readonly response: AgentRunResponse };

/** What a model call gave. */
export type ModelTurn = {
  /** Of its log entry, if it has one already. */
  readonly id?: string;
  readonly content: readonly AssistantPart[];
  readonly usage: Usage;
  readonly finishReason?: FinishReason;
  /** Names of the tools that can run in this turn. */
  readonly tools: readonly string[];
  /** Names the turn may call. Default: derived from `tools` and the tool choice. */
  readonly allowed?: readonly string[];
  readonly ids?: ResponseIds;
  readonly checks?: TurnChecks;
  readonly origin?: Origin;
};

export type ModelTurnOutcome =
  /** `hookSuppressed`: a repair or a skip changed the turn, so hooks on the response do not see it. */
  | { readonly kind: 'continue'; readonly hookSuppressed: boolean }
  | { readonly kind: 'turn-retried' }
  | { readonly kind: 'needs-resolution'; readonly context: InvalidToolCallContext };

export type InvalidToolCallContext = {
  readonly toolName: string;
  readonly callId: string;
  readonly args: string;
  readonly executable: readonly string[];
  readonly allowed: readonly string[];
  readonly toolChoice: ToolChoice;
  /** Ends with the turn in question, left open. */
  readonly history: readonly Message[];
  readonly isStreaming: boolean;
  readonly reason: 'unknown-tool' | 'disallowed-by-tool-choice';
};

export type AgentRunResponse = {
  /** The text parts of `content`, joined with nothing between. */
  readonly text: string;
  readonly content: readonly AssistantPart[];
  readonly structured?: Json;
  readonly usage: Usage;
  readonly completionCalls: readonly CompletionCall[];
  readonly messages: readonly Message[];
  readonly iterations: number;
  readonly completionReason: string;
};

export type CompletionCallHead = Omit<CompletionCall, 'callIndex' | 'turn'>;
