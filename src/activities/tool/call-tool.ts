// The activity of one tool call. The model sees a tool's failure as a result.
//
// The code of a tool with effect `once` runs only in the first attempt that the server starts.

import { Context } from '@temporalio/activity';
import { outcomeUnknown } from '../../core/transcript/tool-output';
import type { CallToolInput, CallToolResult } from '../../protocol/activities';
import { hasCode, LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { ownWorkflowId, pinnedDefinition } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { describeError } from '../failures';
import { type Heartbeat, withHeartbeat } from '../heartbeat';
import { isCancelled } from '../user-code';
import { resultOf, runCall } from './run-call';

export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<CallToolResult> {
  const started = Date.now();
  return await withHeartbeat(dependencies, async (signal, { heartbeat }) => {
    const result = wasStartedBefore(input)
      ? resultOf(input, outcomeUnknown('it was started before'))
      : await makeCall(dependencies, input, { signal, heartbeat, started });
    dependencies.logCache.offer(ownWorkflowId(), result.entry);
    return result;
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
  readonly heartbeat: Heartbeat;
  readonly started: number;
};

async function makeCall(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  { signal, heartbeat, started }: ToolAttempt,
): Promise<CallToolResult> {
  const { attempt, retryPolicy, startToCloseTimeoutMs } = Context.current().info;
  let isReached = false;
  try {
    const definition = await pinnedDefinition(dependencies, input.definition);
    return await runCall({
      dependencies,
      definition,
      input,
      signal,
      heartbeat,
      isTriedAgain: attempt < (retryPolicy?.maximumAttempts ?? limits.toolAttempts),
      deadline: started + (startToCloseTimeoutMs || Infinity),
      onReached: () => (isReached = true),
    });
  } catch (error) {
    if (input.onceIn === undefined || isReached || isForTheRun(error)) throw error;
    throw new LonghaulError('ToolError', `it was not called: ${describeError(error)}`, {
      cause: error,
    });
  }
}

/** The model does not see these errors: they end the run, or another worker makes the call. */
function isForTheRun(error: unknown): boolean {
  if (isCancelled(error) || hasCode(error, 'NotRegisteredHere')) return true;
  return (
    hasCode(error, 'CallbackAbort') || (LonghaulError.is(error) && 'callbacks' in error.details)
  );
}
