import type { Json } from '../base';
import type { ToolCallPart } from './message';
import type { PendingInput } from './run';

export type { InvalidToolCallAction } from './log';

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

/** An input that one agent waits for. A run adds the asking agent and the time. */
export type MachineInput = Pick<
  PendingInput,
  'inputId' | 'question' | 'options' | 'schema' | 'call'
> & { readonly kind: Exclude<PendingInput['kind'], 'budget'> };
