import type { LonghaulError } from '../protocol/errors';
import type { FinishReason, Message } from '../protocol/message';
import {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from './errors';

/** Why a run failed, as its state keeps it. It has no history, because the run has it already. */
export type MachineFailure =
  | { readonly kind: 'max-turns'; readonly limit: number }
  | { readonly kind: 'max-iterations'; readonly limit: number }
  | {
      readonly kind: 'invalid-tool-call';
      readonly message: string;
      readonly toolName: string;
      readonly executable: readonly string[];
      readonly allowed: readonly string[];
    }
  | { readonly kind: 'turn-cut'; readonly finishReason: FinishReason }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'callback-abort'; readonly reason: string };

/** The error that a failed run throws every time, also after somebody stored and loaded the run. */
export function toError(failure: MachineFailure, history: readonly Message[]): LonghaulError {
  switch (failure.kind) {
    case 'max-turns':
      return new MaxTurnsExceeded({
        limit: failure.limit,
        unsent: history[history.length - 1] as Message,
        history,
      });
    case 'max-iterations':
      return new MaxIterationsExceeded({ limit: failure.limit, history });
    case 'invalid-tool-call': {
      const { message, toolName, executable, allowed } = failure;
      return new InvalidToolCall(message, { toolName, executable, allowed, history });
    }
    case 'turn-cut':
      return new TurnCut({ finishReason: failure.finishReason, history });
    case 'cancelled':
      return new RunCancelled({ reason: failure.reason, history });
    case 'callback-abort':
      return new CallbackAbort({ reason: failure.reason, history });
  }
}
