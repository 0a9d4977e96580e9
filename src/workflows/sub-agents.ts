// Calls of agents as tools: each is a child workflow, its final text the result, its session changes a delta.
//
// 1. A forbidden or circular call never starts: the run ends with the typed error, as it does when a child ended so.
// 2. What the callers above forbid is added up on the way down; ancestors travel in the workflow input, never in the session.
// 3. Any other failure of a child follows its `onError`: by default the calling model sees it.

import {
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
} from '@temporalio/workflow';
import { sessionDelta } from '../core/session';
import { oneLine, utf8Length } from '../core/text';
import type { SubAgentFacts } from '../protocol/activities';
import type { PendingToolCall } from '../protocol/agent-run';
import { CircularAgentCall, DepthExceeded, DisallowedAgentCall } from '../protocol/error-classes';
import type { JsonObject } from '../protocol/json';
import { limits, timeouts } from '../protocol/limits';
import { memoKey, workflowTypes } from '../protocol/names';
import type { AgentRunResult, Lineage, RunInput, RunMemo } from '../protocol/run';
import type { AgentToolPolicy, DefinitionRef } from '../protocol/spec';
import { childId } from './child-id';
import { errorResult, type ToolArrival } from './tool-arrival';

/** The run that calls. */
export type Caller = {
  readonly workflowId: string;
  readonly executionRunId: string;
  readonly agentId: string;
  readonly lineage: Lineage;
  readonly definition: DefinitionRef;
  readonly context: JsonObject | undefined;
  readonly session: () => JsonObject;
  /** A child is gone: nothing it asked is open any more. */
  readonly forget: (child: string) => void;
};

/** Failures of a child that always end its caller, too. */
const endingCodes = new Set([
  'CircularAgentCall',
  'DisallowedAgentCall',
  'DepthExceeded',
  'BudgetExceeded',
  'RunCancelled',
]);

export async function callSubAgent(
  caller: Caller,
  callee: SubAgentFacts,
  pending: PendingToolCall,
): Promise<ToolArrival> {
  const input = pending.call.args?.['input'];
  if (typeof input !== 'string' || input.trim() === '') {
    return errorResult(pending, `The arguments of '${callee.name}' must be {"input": "<text>"}.`);
  }
  const child = childId({ ...caller, place: `${callee.name}.${pending.turn}.${pending.index}` });
  try {
    const lineage = lineageOf(caller, callee);
    const session = caller.session();
    const result = await startChild(child, { caller, callee, lineage, input, session });
    return {
      kind: 'result',
      result: { ...errorResult(pending, '').result, ...textResult(result.finalResponse.text) },
      session: sessionDelta(session, result.session),
      usage: result.usage,
    };
  } catch (error) {
    caller.forget(child);
    return failedChild(callee, pending, error);
  }
}

function textResult(text: string) {
  return { isError: false, content: [{ type: 'text' as const, text }] };
}

function lineageOf(
  { agentId, lineage }: Caller,
  { name, runner, policy = {} }: SubAgentFacts,
): Lineage {
  const forbidden = lineage.policy ?? {};
  if (forbidden.disallowSubAgentCalls === true || forbidden.disallowedAgentIds?.includes(runner)) {
    throw new DisallowedAgentCall(
      `agent '${agentId}' must not call agent '${runner}': a caller above forbids it`,
      {
        details: { id: runner },
      },
    );
  }
  const ancestors = [...lineage.ancestors, agentId];
  if (ancestors.includes(runner)) {
    throw new CircularAgentCall(
      `agent '${runner}' is already being called: ${[...ancestors, runner].join(' → ')}`,
      {
        details: { id: runner },
      },
    );
  }
  if (lineage.depth >= limits.depth) {
    throw new DepthExceeded(`agent '${runner}' would be nested deeper than ${limits.depth}`);
  }
  return {
    root: lineage.root,
    path: `${lineage.path}/${name}`,
    ancestors,
    depth: lineage.depth + 1,
    ...addedPolicy(forbidden, policy),
  };
}

function addedPolicy(above: AgentToolPolicy, own: AgentToolPolicy): { policy?: AgentToolPolicy } {
  const ids = [
    ...new Set([...(above.disallowedAgentIds ?? []), ...(own.disallowedAgentIds ?? [])]),
  ];
  const disallows = above.disallowSubAgentCalls === true || own.disallowSubAgentCalls === true;
  if (ids.length === 0 && !disallows) return {};
  return {
    policy: {
      ...(disallows && { disallowSubAgentCalls: true }),
      ...(ids.length > 0 && { disallowedAgentIds: ids }),
    },
  };
}

type ChildStart = {
  readonly caller: Caller;
  readonly callee: SubAgentFacts;
  readonly lineage: Lineage;
  readonly input: string;
  readonly session: JsonObject;
};

async function startChild(workflowId: string, start: ChildStart): Promise<AgentRunResult> {
  const { caller, callee, lineage, input, session } = start;
  const isShort = utf8Length(JSON.stringify(session)) <= limits.sessionInline;
  const runInput: RunInput = {
    runner: callee.runner,
    input,
    lineage,
    definition: { root: caller.lineage.root, hash: caller.definition.hash },
    ...(isShort ? { session } : { sessionFrom: caller.workflowId }),
    ...(caller.context && { context: caller.context }),
  };
  const memo: RunMemo = { status: 'running', agent: callee.runner, path: lineage.path };
  return await executeChild<(input: RunInput) => Promise<AgentRunResult>>(workflowTypes.agent, {
    workflowId,
    args: [runInput],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    workflowTaskTimeout: timeouts.workflowTask,
    memo: { [memoKey]: memo },
    staticSummary: oneLine(`${callee.name}: ${input}`, limits.summary),
  });
}

function failedChild(callee: SubAgentFacts, pending: PendingToolCall, error: unknown): ToolArrival {
  const code = failureCode(error);
  const ends = isCancellation(error) || (code !== undefined && endingCodes.has(code));
  if (ends || callee.onError === 'fail' || !(error instanceof ChildWorkflowFailure)) {
    return { kind: 'failed', error };
  }
  const reason = oneLine(error.cause?.message ?? error.message, limits.failureMessage);
  return errorResult(pending, `The agent '${callee.name}' failed: ${reason}`);
}

/** The code of the innermost typed failure. */
function failureCode(error: unknown): string | undefined {
  let code: string | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (typeof type === 'string') code = type;
  }
  return code;
}
