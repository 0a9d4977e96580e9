// Takes a run back to an earlier workflow task, as an operator does in Temporal's Web UI.

import { randomUUID } from 'node:crypto';
import type { Longhaul } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';

const deadlineMs = 5_000;
/** As the server numbers what a reset leaves out. */
const updates = 2;

/** Whether it was done: a run that has just started or ended cannot be reset, nor can any while the server is away. */
export async function resetRun(longhaul: Longhaul, runId: string, draw: number): Promise<boolean> {
  const { client } = longhaul;
  try {
    return await client.withDeadline(Date.now() + deadlineMs, async () => {
      const { status } = await client.workflow.getHandle(runId).describe();
      const { events = [] } = await fetchHistory(longhaul, runId);
      const completed = (events ?? []).filter((one) => one.workflowTaskCompletedEventAttributes);
      const workflowTaskFinishEventId = completed[draw % Math.max(1, completed.length)]?.eventId;
      if (status.name !== 'RUNNING' || !workflowTaskFinishEventId) return false;
      await client.workflowService.resetWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId: runId },
        reason: 'torture reset',
        requestId: randomUUID(),
        workflowTaskFinishEventId,
        // With updates said again, between signals, the SDK replays the run in another order and fails for ever.
        resetReapplyExcludeTypes: [updates],
      });
      return true;
    });
  } catch {
    return false;
  }
}
