// Waits for the result of a run, over resets and while the server is away.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { defined } from '../../base';
import type { LonghaulError } from '../../protocol';
import { patiently } from '../server/calls';
import {
  asLonghaulError,
  cancelled,
  isNotFound,
  isTermination,
  readable,
  runFailure,
  runNotFound,
} from '../server/failures';
import { memoOf } from './run-view';

export type ResultSource = {
  readonly client: Client;
  readonly workflowId: string;
  readonly describe: () => Promise<WorkflowExecutionDescription>;
};

/** Throws the run's own error if it failed. A child run has another type of result than a root run. */
export async function waitForResult<Result>(source: ResultSource): Promise<Result> {
  try {
    return readable(await newestResult<Result>(source));
  } catch (error) {
    if (isNotFound(error)) throw runNotFound(source.workflowId, error);
    const failure = runFailure(error);
    if (failure === undefined) throw asLonghaulError(error);
    throw failure.code === 'RunCancelled' ? await withReason(source, failure) : failure;
  }
}

/** A reset terminates the execution that this waits for. The run goes on in a new execution. */
async function newestResult<Result>(source: ResultSource): Promise<Result> {
  const { client, workflowId, describe } = source;
  for (;;) {
    try {
      return (await patiently(() => client.workflow.getHandle(workflowId).result())) as Result;
    } catch (error) {
      if (!isTermination(error) || (await describe()).status.name === 'TERMINATED') throw error;
    }
  }
}

async function withReason(
  { describe }: ResultSource,
  failure: LonghaulError,
): Promise<LonghaulError> {
  const { reason, by } = memoOf(await describe());
  const details = defined({ reason, by });
  return cancelled(reason ?? failure.message, { cause: failure, details });
}
