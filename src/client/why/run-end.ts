// How a run ended, read at once: a run that is still open has no end.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type AgentRunResult, kindOfType, LonghaulError } from '../../protocol';
import { waitForResult } from '../read/result';
import { hasClosed } from '../read/run-view';

/** `result` or `error` of a run that has ended. */
export type RunEnd = {
  /** That of a run below another one has no `usage` and no `session`. */
  readonly result?: AgentRunResult;
  readonly error?: Pick<LonghaulError, 'code' | 'message' | 'details'>;
};

/** Empty while the run is open, and for a thread. */
export async function endOf(
  client: Client,
  execution: WorkflowExecutionDescription,
): Promise<RunEnd> {
  if (!hasClosed(execution) || kindOfType(execution.type) === undefined) return {};
  const { workflowId } = execution;
  try {
    const describe = () => Promise.resolve(execution);
    return { result: await waitForResult<AgentRunResult>({ client, workflowId, describe }) };
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    const { code, message, details } = error;
    return { error: { code, message, details } };
  }
}
