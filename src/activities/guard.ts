// Wraps every attempt of every activity. Its lines in the log name the call. An error is logged and becomes a failure for Temporal.

import { CompleteAsyncError, Context } from '@temporalio/activity';
import { isPlainObject } from '../base';
import { hasCode } from '../protocol';
import { type LogDependencies, logFailure, withCallLog } from './call-log';
import { isSearchSpent, toFailure, unpaid } from './failures';
import { markLogged } from './logged';
import { tellRun } from './retry-note';
import { isCancelled, isFinal, isLastAttempt } from './user-code';

type Activity<Input, Result> = (input: Input) => Promise<Result>;

export function guard(
  dependencies: LogDependencies,
): <Input, Result>(activity: Activity<Input, Result>) => Activity<Input, Result> {
  return (activity) => async (input) =>
    await withCallLog(dependencies, input, async () => {
      try {
        return await activity(input);
      } catch (thrown) {
        // The call is cancelled, and has reported that to the server itself.
        if (thrown instanceof CompleteAsyncError) throw thrown;
        const { error, spend } = unpaid(thrown);
        const failure = toFailure(error, spend);
        if (!isCancelled(error)) {
          logFailure(levelOf(error, failure), `${subjectOf(input)} failed`, error);
          markLogged(failure);
          await tellRun(failure);
        }
        throw failure;
      }
    });
}

/** An attempt that is not repeated is an error. */
function levelOf(error: unknown, failure: unknown): 'warn' | 'error' {
  // Another worker may have the code.
  if (hasCode(error, 'NotRegisteredHere')) return isSearchSpent() ? 'error' : 'warn';
  // A callback has ended the run, as it may.
  if (hasCode(error, 'CallbackAbort')) return 'warn';
  return isFinal(failure) || isLastAttempt() ? 'error' : 'warn';
}

function subjectOf(input: unknown): string {
  const { activityType } = Context.current().info;
  if (activityType === 'callModel') return 'model call';
  const tool = isPlainObject(input) ? input['tool'] : undefined;
  return activityType === 'callTool' ? `tool '${String(tool)}'` : activityType;
}
