import { WorkflowNotFoundError } from '@temporalio/common';
import { StateError } from '../../core/errors';
import type { FetchInputResult } from '../../protocol/activities';
import { RunNotFound } from '../../protocol/error-classes';
import { queryNames } from '../../protocol/names';
import type { InputRef, RunInput } from '../../protocol/run';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { askRun } from './read-log';

/** The input a child was started with, from this process where a sibling has asked for it, else from the run that started it. */
export async function fetchInput(
  { inputs }: Pick<ActivityDependencies, 'inputs'>,
  ref: InputRef,
): Promise<FetchInputResult> {
  const input = await withHeartbeat(() => inputs.get(ref, () => askCaller(ref)));
  return { input };
}

/** What a caller that is gone, or that does not count this run among its own, have now it will never have again. */
async function askCaller({ number, ...caller }: InputRef): Promise<RunInput['input']> {
  const input = await askKnown(caller, number);
  if (input !== null && input !== undefined) return input;
  throw new StateError(
    `run '${caller.workflowId}', which called this one, does not have its input any more`,
  );
}

async function askKnown(
  caller: Omit<InputRef, 'number'>,
  number: number,
): Promise<RunInput['input'] | null | undefined> {
  try {
    return await askRun(caller, queryNames.childInput, { number });
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof WorkflowNotFoundError)) throw error;
    throw new RunNotFound(`run '${caller.workflowId}', which called this one, is gone`, {
      details: { runId: caller.workflowId },
    });
  }
}
