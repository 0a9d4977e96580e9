// Reads the arguments of a run or a thread.
//
// 1. Anybody may start a workflow with any arguments. From a refused start, the run uses only the runner's id, to show it.
// 2. A run or a thread of a newer version may have started or continued this one. Unknown members are then no mistake: the execution waits
//    for a worker of that version.
// 3. Carried state counts only if the execution before this one continued as new, which the server records.

import type { WorkflowInfo } from '@temporalio/workflow';
import { isJsonObject } from '../../base';
import { isUnknownMember, withoutNullMembers } from '../../core/run-input';
import { runnerIdOf } from '../../core/runner-refs';
import { ofNewerVersion } from '../../core/stored-format';
import { LonghaulError } from '../../protocol';

/** The arguments of a workflow function. Anybody may have written them. */
export type WorkflowArguments = { readonly input: unknown; readonly carried: unknown };

/** `refused`: why the start was refused, or why the carried state could not be read. */
export type Taken<Input extends { readonly runner: unknown }, Carried = unknown> =
  | { readonly given: Input; readonly carried?: Carried | undefined; readonly refused?: undefined }
  | {
      readonly given: Input | { readonly runner: string };
      readonly carried?: undefined;
      readonly refused: Error;
    };

export function withCarried<Input extends { readonly runner: unknown }, Carried>(
  taken: Taken<Input>,
  unpack: (bytes: unknown) => Carried,
): Taken<Input, Carried> {
  if (taken.refused !== undefined || taken.carried === undefined)
    return taken as Taken<Input, never>;
  const { given } = taken;
  try {
    return { given, carried: unpack(taken.carried) };
  } catch (error) {
    return { given, refused: error as Error };
  }
}

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
    return { given: { runner }, refused: refusalOf(error, isContinued || isBelow(input, origin)) };
  }
}

/** `isOurs`: an execution of ours wrote the input. */
function refusalOf(error: unknown, isOurs: boolean): Error {
  if (isOurs && isUnknownMember(error)) return ofNewerVersion(error.message);
  return error instanceof Error ? error : new LonghaulError('InternalError', String(error));
}

/** True for a run that one of our runs or threads started: only they give it a place in the tree. */
function isBelow(input: unknown, { parent }: StartInfo): boolean {
  const { lineage, thread } = isJsonObject(input) ? input : {};
  return parent !== undefined && (isJsonObject(lineage) || isJsonObject(thread));
}

/** The server sets this id for a retry and for the next cron run, too. They repeat arguments that anybody may have written. */
function continues({ continuedFromExecutionRunId, attempt, lastFailure }: StartInfo): boolean {
  return continuedFromExecutionRunId !== undefined && attempt === 1 && lastFailure === undefined;
}
