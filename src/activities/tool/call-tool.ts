// The activity of one tool call. The model sees a tool's failure as a result.
//
// 1. The code of a tool with effect `once` runs only in the first attempt that the server starts.
// 2. The code of a tool with a later result only begins the call. Its return value is ignored. An error is the call's result.

import { Context } from '@temporalio/activity';
import { defined } from '../../base';
import { toolSpecOf } from '../../core/loop-config';
import { outcomeUnknown } from '../../core/transcript/tool-output';
import {
  type CallToolBegun,
  type CallToolInput,
  type CallToolResult,
  hasCode,
  limits,
  LonghaulError,
} from '../../protocol';
import { ownWorkflowId, pinnedDefinition } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { describeError } from '../failures';
import { type Beats, withHeartbeat } from '../heartbeat';
import { toolCallEnded } from '../live';
import { isCancelled } from '../user-code';
import { drawToken } from './begin-call';
import { AttemptTrace } from '../trace';
import { callPlace, type OneCall, resultOf, runCall, tracedTool } from './run-call';

export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<CallToolResult | CallToolBegun> {
  const started = Date.now();
  const trace = new AttemptTrace(dependencies, input);
  return await withHeartbeat(dependencies, async (signal, beats) => {
    try {
      const result = wasStartedBefore(input)
        ? resultOf(input, outcomeUnknown('it was started before'))
        : await makeCall(dependencies, input, { signal, beats, started, trace });
      if ('entry' in result) dependencies.logCache.offer(ownWorkflowId(), result.entry);
      return result;
    } finally {
      toolCallEnded(dependencies, input);
    }
  });
}

/**
 * True for a call of effect `once` that an earlier attempt may have made. An operator can make the server repeat an attempt, and a reset
 * can repeat it in another execution. We cannot know whether the earlier attempt reached the code.
 */
function wasStartedBefore({ onceIn }: CallToolInput): boolean {
  if (onceIn === undefined) return false;
  const { info } = Context.current();
  const isRepeated = info.currentAttemptScheduledTimestampMs !== info.scheduledTimestampMs;
  return info.attempt > 1 || isRepeated || onceIn !== info.workflowExecution?.runId;
}

type ToolAttempt = {
  readonly signal: AbortSignal;
  readonly beats: Beats;
  readonly started: number;
  readonly trace: AttemptTrace;
};

async function makeCall(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  attempt: ToolAttempt,
): Promise<CallToolResult | CallToolBegun> {
  let isReached = false;
  try {
    return await runOrBegin(dependencies, input, {
      ...attempt,
      onReached: () => (isReached = true),
    });
  } catch (error) {
    if (input.onceIn === undefined || isReached || isForTheRun(error)) throw error;
    throw new LonghaulError('ToolError', `it was not called: ${describeError(error)}`, {
      cause: error,
    });
  }
}

async function runOrBegin(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  { signal, beats, started, trace, onReached }: ToolAttempt & Pick<OneCall, 'onReached'>,
): Promise<CallToolResult | CallToolBegun> {
  const { attempt, retryPolicy, startToCloseTimeoutMs } = Context.current().info;
  const definition = await pinnedDefinition(dependencies, input.definition);
  const call = {
    dependencies,
    definition,
    input,
    signal,
    trace,
    heartbeat: beats.heartbeat,
    isTriedAgain: attempt < (retryPolicy?.maximumAttempts ?? limits.toolAttempts),
    deadline: started + (startToCloseTimeoutMs || Infinity),
    ...defined({ onReached }),
  };
  const tool = toolSpecOf(definition, input.tool);
  void trace.tellLost(tracedTool(input, tool), undefined, callPlace(input));
  if (tool.result !== 'later') return await runCall(call);
  const { token, kept, heartbeat } = await drawToken(input, beats);
  let hasBegun = false;
  const made = await runCall({ ...call, heartbeat, token, onBegun: () => (hasBegun = true) });
  return hasBegun ? { tokens: kept, ...defined({ session: made.session }) } : made;
}

/** The model does not see these errors: they end the run, or another worker makes the call. */
function isForTheRun(error: unknown): boolean {
  if (isCancelled(error) || hasCode(error, 'NotRegisteredHere')) return true;
  return (
    hasCode(error, 'CallbackAbort') || (LonghaulError.is(error) && 'callbacks' in error.details)
  );
}
