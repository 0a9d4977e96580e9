import type { Json, JsonSchema } from '../base/json';
import type { ToolCallPart } from './message';

/** Which tools a turn may or must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly only: readonly string[] };

export type CriterionSpec =
  | { readonly kind: 'keyword'; readonly keyword: string }
  | { readonly kind: 'structured-output'; readonly schema?: Json }
  /** `session`: the keys that the function on the worker reads. */
  | { readonly kind: 'custom'; readonly name: string; readonly session?: readonly string[] };

/** A call of the last model turn that needs a result. Calls that wait for approval are among the open inputs instead. */
export type PendingToolCall = {
  readonly turn: number;
  readonly index: number;
  readonly call: ToolCallPart;
  readonly kind: 'execute' | 'malformed';
};

/** An input that one agent waits for. A run adds who asks, and since when: `PendingInput` in `run.ts`. */
export type MachineInput = {
  readonly inputId: string;
  /** `tool`: the call waits for a result from elsewhere. */
  readonly kind: 'question' | 'approval' | 'tool';
  readonly question: string;
  readonly options?: readonly string[];
  /** The answer or result must match it. */
  readonly schema?: JsonSchema;
  readonly call?: ToolCallPart;
};

/** The action for a call whose name is not allowed. */
export type InvalidToolCallAction =
  | { readonly kind: 'fail' }
  | { readonly kind: 'retry'; readonly feedback: string }
  | { readonly kind: 'repair'; readonly name: string }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'stop'; readonly reason: string };
