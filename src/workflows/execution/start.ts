// Reads the arguments of a run or a thread.
//
// 1. Anybody may start a workflow with any arguments. From a refused start, the run uses only the runner's id, to show it.
// 2. Carried state counts only if the server says that the execution before this one continued as new.

import type { WorkflowInfo } from '@temporalio/workflow';
import { isJsonObject } from '../../base/json';
import { withoutNullMembers } from '../../core/run-input';
import { runnerIdOf } from '../../core/runner-refs';
import { LonghaulError } from '../../protocol/errors';

/** The arguments of a workflow function. Anybody may have written them. */
export type WorkflowArguments = { readonly input: unknown; readonly carried: unknown };

/** `refused`: why the start was refused. */
export type Taken<Input extends { readonly runner: unknown }> =
  | { readonly given: Input; readonly carried?: unknown; readonly refused?: undefined }
  | { readonly given: { readonly runner: string }; readonly refused: Error };

export type StartInfo = Pick<
  WorkflowInfo,
  'parent' | 'continuedFromExecutionRunId' | 'attempt' | 'lastFailure'
>;

/** `check` throws for a wrong input. */
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

/** The server sets this id for a retry and for the next cron run, too. They repeat arguments that anybody may have written. */
function continues({ continuedFromExecutionRunId, attempt, lastFailure }: StartInfo): boolean {
  return continuedFromExecutionRunId !== undefined && attempt === 1 && lastFailure === undefined;
}
