import type { Longhaul, RunState } from '../../client';
import { RunNotFound } from '../../protocol/error-classes';
import { timeouts } from '../../protocol/limits';
import { loadRunView } from './load-parts';

export type DescribedRun = { readonly taskQueue: string; readonly state: RunState };

/** What the server says of a run, without its worker: the state has no counters. */
export async function describeRun(longhaul: Longhaul, runId: string): Promise<DescribedRun> {
  const { client } = longhaul;
  try {
    const description = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflow.getHandle(runId).describe(),
    );
    const state = loadRunView().stateFromMemo(description);
    return { taskQueue: description.taskQueue, state };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
    throw new RunNotFound(`there is no run '${runId}'`, { cause: error });
  }
}
