// Calls of runners as tools: each is a child workflow, its final text the result, its session changes a delta.
//
// 1. Circular and disallowed calls, budget and cancellation always end the run with their typed error.
// 2. Any other failure of a child follows its `onError`: by default the calling model sees it. Of one that was cut off (terminated, timed
//    out) it is told that nobody knows what it did.

import { ChildWorkflowFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/workflow';
import { outcomeUnknown, toToolOutput } from '../../core/transcript/tool-output';
import type { SubAgentConfig } from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import type { ErrorCode } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { failureCode, failureReason } from '../children/child-failure';
import type { Children } from '../children/children';
import { errorResult, resultOf, type ToolOutcome } from './tool-runner';
import type { AroundCall } from './tool-hooks';

const endingCodes: ReadonlySet<ErrorCode> = new Set([
  'CircularAgentCall',
  'DisallowedAgentCall',
  'DepthExceeded',
  'BudgetExceeded',
  'RunCancelled',
]);

export type SubAgentCall = {
  readonly callee: SubAgentConfig;
  readonly pending: PendingToolCall;
  readonly session: JsonObject;
  /** Calls of the turn, this one included, that share what is left of the budget. */
  readonly among: number;
  readonly around: AroundCall;
};

export async function callSubAgent(children: Children, made: SubAgentCall): Promise<ToolOutcome> {
  const { name } = made.callee;
  const input = made.pending.call.args?.['input'];
  if (typeof input !== 'string' || input.trim() === '') {
    return errorResult(made.pending, `The arguments of '${name}' must be {"input": "<text>"}.`);
  }
  return await made.around((session) => callChild(children, made, { input, session }));
}

async function callChild(
  children: Children,
  { callee, pending, session: own, among }: SubAgentCall,
  { input, session }: { readonly input: string; readonly session: JsonObject },
): Promise<ToolOutcome> {
  const { name, runner, kind, policy } = callee;
  const place = `${name}.${pending.turn}.${pending.index}`;
  try {
    const { finalResponse, delta } = await children.call({
      runner,
      ...(kind && { kind }),
      place,
      work: place,
      element: name,
      input,
      session,
      isSessionStable: session === own,
      isSubAgentCall: true,
      ...(policy && { policy }),
      among,
    });
    return { ...resultOf(pending, toToolOutput(name, finalResponse.text)), session: delta };
  } catch (error) {
    return failedCall(callee, pending, error);
  }
}

function failedCall(
  { name, onError }: SubAgentConfig,
  pending: PendingToolCall,
  error: unknown,
): ToolOutcome {
  const code = failureCode(error);
  const ends = code !== undefined && endingCodes.has(code);
  if (ends || onError === 'fail' || !(error instanceof ChildWorkflowFailure)) {
    return { kind: 'failed', error };
  }
  const { cause } = error;
  if (cause instanceof TerminatedFailure || cause instanceof TimeoutFailure) {
    return resultOf(pending, outcomeUnknown(`agent '${name}': ${failureReason(error)}`));
  }
  return errorResult(pending, `The agent '${name}' failed: ${failureReason(error)}`);
}
