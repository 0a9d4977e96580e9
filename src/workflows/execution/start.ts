// Reads the arguments of a run or a thread, which anybody may have given.
//
// 1. Anybody may start a workflow with any arguments. From a refused start only the runner's id is used, to show it.
// 2. What an execution carried is taken only where the server says that the one before it continued as new.

import type { WorkflowInfo } from '@temporalio/workflow';
import { isJsonObject } from '../../base/json';
import { withoutNullMembers } from '../../core/run-input';
import { runnerIdOf } from '../../core/runner-refs';
import { LonghaulError } from '../../protocol/errors';

/** The arguments of a workflow function, by whomever. */
export type WorkflowArguments = { readonly input: unknown; readonly carried: unknown };

/** `refused`: why nothing of it was taken. */
export type Taken<Input extends { readonly runner: unknown }> =
  | { readonly given: Input; readonly carried?: unknown; readonly refused?: undefined }
  | { readonly given: { readonly runner: string }; readonly refused: Error };

export type StartInfo = Pick<
  WorkflowInfo,
  'parent' | 'continuedFromExecutionRunId' | 'attempt' | 'lastFailure'
>;

/** `check` throws where the input is not one. */
export function takeStart<Input extends { readonly runner: unknown }>(
  { input, carried }: WorkflowArguments,
  origin: StartInfo,
  check: (input: unknown, isContinued: boolean) => void,
): Taken<Input> {
  const isContinued = continues(origin);
  try {
    if (carried !== undefined && carried !== null && !isContinued)
      throw new LonghaulError(
        'InvalidInput',
        'a second argument is taken only from an execution that continued as new: start with one',
      );
    check(input, isContinued);
    return { given: withoutNullMembers(input as Input), carried: carried ?? undefined };
  } catch (error) {
    const runner = runnerIdOf(isJsonObject(input) ? input['runner'] : undefined);
    const refused =
      error instanceof Error ? error : new LonghaulError('InternalError', String(error));
    return { given: { runner }, refused };
  }
}

/** The server also says so of a retry and of the next run of a cron, but they repeat the arguments of anybody. */
function continues({ continuedFromExecutionRunId, attempt, lastFailure }: StartInfo): boolean {
  return continuedFromExecutionRunId !== undefined && attempt === 1 && lastFailure === undefined;
}
