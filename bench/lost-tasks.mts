// How many workflow tasks of runs came to nothing, by kind, as bench/restart.mts and bench/scale.mts tell.
import type { Longhaul, RunHandle } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';

/**
 * Workflow tasks since then that came to nothing: on the sticky queue of a worker that is gone, in line for longer than the server
 * keeps the task of an update, or in the hands of a worker, whose work is lost.
 */
export async function lostTasks(
  longhaul: Longhaul,
  runs: readonly RunHandle[],
  since: number,
): Promise<Readonly<Record<'sticky' | 'in line' | 'in hand', number>>> {
  const kinds = { sticky: 0, 'in line': 0, 'in hand': 0 };
  for (const { workflowId } of runs) {
    const events = (await fetchHistory(longhaul, workflowId)).events ?? [];
    for (const [index, { eventTime, workflowTaskTimedOutEventAttributes }] of events.entries()) {
      if (!workflowTaskTimedOutEventAttributes || Number(eventTime?.seconds) * 1_000 < since)
        continue;
      const wasTaken = Number(workflowTaskTimedOutEventAttributes.startedEventId) > 0;
      const scheduled = events[index - 1]?.workflowTaskScheduledEventAttributes;
      const line = scheduled?.taskQueue?.normalName ? 'sticky' : 'in line';
      kinds[wasTaken ? 'in hand' : line] += 1;
    }
  }
  return kinds;
}
