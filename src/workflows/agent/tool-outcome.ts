// Turns the end of a tool call into its outcome.
//
// 1. A tool's failure is a result for the model, unless the tool has `onError: 'fail'`. A cancellation of the run is never a result. A call
//    that callbacks ended is never a result either.
// 2. For a tool with effect `once`, only its own answer counts. If anything else ends the call, its effect is unknown.
// 3. For a called agent, a circular call, a disallowed call, the budget and cancellation always end the run with their typed error. Any
//    other failure follows its `onError`. If the agent was terminated or timed out, its effect is unknown.

import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { isJsonObject, oneLine } from '../../base';
import { outcomeUnknown } from '../../core/transcript/tool-output';
import {
  type CallToolBegun,
  type CallToolResult,
  type ErrorCode,
  limits,
  LonghaulError,
  type NewEntry,
  type PendingToolCall,
  type SessionDelta,
  type SubAgentConfig,
  type ToolConfig,
  type ToolOutput,
  type ToolResultEvent,
} from '../../protocol';
import { failureCode, failureReason } from '../children/child-failure';

export type ResultOutcome = {
  readonly kind: 'result';
  readonly entry: NewEntry<ToolResultEvent>;
  readonly session?: SessionDelta;
};

/** The call has begun. Its result comes from elsewhere. */
export type BegunOutcome = CallToolBegun & {
  readonly kind: 'begun';
  readonly turn: number;
  readonly index: number;
};

export type ToolOutcome =
  ResultOutcome | BegunOutcome | { readonly kind: 'failed'; readonly error: unknown };

export function errorOutcome(pending: PendingToolCall, text: string): ResultOutcome {
  return resultOutcome(pending, { isError: true, content: [{ type: 'text', text }] });
}

/** The outcome of a call that began without an activity, because nothing had to run. */
export function begun(
  { turn, index }: PendingToolCall,
  answer: CallToolBegun = { tokens: [] },
): BegunOutcome {
  return { kind: 'begun', turn, index, ...answer };
}

export function resultOutcome(
  { call, turn, index }: PendingToolCall,
  output: ToolOutput,
): ResultOutcome {
  return {
    kind: 'result',
    entry: {
      kind: 'tool-result',
      result: {
        type: 'tool_result',
        callId: call.callId,
        name: call.name,
        ...output,
        turn,
        index,
      },
    },
  };
}

/**
 * The result of a call that ran inline. Any worker may have sent it. If it does not fit the call, or if there are two, the call is made
 * as if there were none.
 */
export function inlineOutcome(
  pending: PendingToolCall,
  sent: readonly CallToolResult[],
): ResultOutcome | undefined {
  const [found, other] = sent.filter((result) => isResultOf(pending, result));
  return found === undefined || other !== undefined ? undefined : { kind: 'result', ...found };
}

function isResultOf({ call, turn, index }: PendingToolCall, sent: unknown): boolean {
  const entry = isJsonObject(sent) && isJsonObject(sent['entry']) ? sent['entry'] : {};
  const result = isJsonObject(entry['result']) ? entry['result'] : {};
  return (
    entry['kind'] === 'tool-result' &&
    typeof entry['id'] === 'string' &&
    result['turn'] === turn &&
    result['index'] === index &&
    result['callId'] === call.callId &&
    result['name'] === call.name &&
    Array.isArray(result['content'])
  );
}

const endingCodes: ReadonlySet<ErrorCode> = new Set([
  'CircularAgentCall',
  'DisallowedAgentCall',
  'DepthExceeded',
  'BudgetExceeded',
  'RunCancelled',
]);

export function failedToolCall(
  pending: PendingToolCall,
  tool: ToolConfig,
  error: unknown,
): ToolOutcome {
  if (!(error instanceof ActivityFailure) || isCancelledHere(error))
    return { kind: 'failed', error };
  if (isOfCallbacks(error.cause)) return { kind: 'failed', error };
  if (isNotRegistered(error)) {
    const text = `The tool '${pending.call.name}' is not available any more: no worker has its code.`;
    return errorOutcome(pending, text);
  }
  const timedOut = error.cause instanceof TimeoutFailure;
  const message = oneLine(error.cause?.message ?? error.message, limits.failureMessage);
  if (tool.effect === 'once' && !isOwnAnswer(error.cause))
    return resultOutcome(pending, outcomeUnknown(timedOut ? undefined : message));
  const reason = timedOut ? 'it did not finish in time' : message;
  const text = `The tool '${pending.call.name}' failed: ${reason}`;
  if (tool.onError === 'fail')
    return {
      kind: 'failed',
      error: new LonghaulError('ToolError', text, {
        cause: error,
        details: { tool: pending.call.name },
      }),
    };
  return errorOutcome(pending, text);
}

export function failedAgentCall(
  pending: PendingToolCall,
  { name, onError }: SubAgentConfig,
  error: unknown,
): ToolOutcome {
  const code = failureCode(error);
  const ends = code !== undefined && endingCodes.has(code);
  if (ends || onError === 'fail' || !(error instanceof ChildWorkflowFailure)) {
    return { kind: 'failed', error };
  }
  const { cause } = error;
  if (cause instanceof TerminatedFailure || cause instanceof TimeoutFailure) {
    return resultOutcome(pending, outcomeUnknown(`agent '${name}': ${failureReason(error)}`));
  }
  return errorOutcome(pending, `The agent '${name}' failed: ${failureReason(error)}`);
}

/** The worker lacks the tool's code. */
export function isNotRegistered(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'NotRegisteredHere';
}

/** True if this run is being cancelled. A call alone may also end as cancelled: by an operator, by its worker, or by its own code. */
function isCancelledHere(error: unknown): boolean {
  return isCancellation(error) && CancellationScope.current().consideredCancelled;
}

/**
 * True if the tool's code threw the error. Our worker and the user's own activities mark that by the type. Anybody may have thrown any
 * other type.
 */
function isOwnAnswer(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && cause.type === 'ToolError';
}

/** True if a callback ended the tool call. The model never gets that as a result. */
function isOfCallbacks(cause: unknown): boolean {
  if (!(cause instanceof ApplicationFailure)) return false;
  const [details]: readonly unknown[] = cause.details ?? [];
  return cause.type === 'CallbackAbort' || (isJsonObject(details) && 'callbacks' in details);
}
