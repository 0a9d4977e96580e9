// Where the next workflow task of a history ends. As SDK Core 1.24 does it: `find_end_index_of_next_wft_seq` in its history_update.rs.

import { isCommandEvent, isFinalEvent, isNamed, type SimEvent } from './events';

/** `isComplete`: events after the index are not part of it. */
export type TaskEnd = { readonly index: number; readonly isComplete: boolean };

/** The whole rest of the history is there: the simulator has no pages. */
export function endOfNextTask(events: readonly SimEvent[], afterId: number): TaskEnd {
  if (events.length === 0) return { index: 0, isComplete: false };
  let sawCommand = false;
  let sawCommandOrStart = false;
  const begun: { id: number; index: number }[] = [];
  for (const [index, event] of events.entries()) {
    if (event.id <= afterId) continue;
    if (isCommandEvent(event)) [sawCommand, sawCommandOrStart] = [true, true];
    if (isNamed(event, 'workflowExecutionStarted')) sawCommandOrStart = true;
    if (isFinalEvent(event)) return { index, isComplete: true };
    if (!isNamed(event, 'workflowTaskStarted')) continue;
    begun.push({ id: event.id, index });
    const next = events[index + 1];
    // A task that failed or ran out of time concludes nothing.
    if (
      isNamed(next, 'workflowTaskFailed', 'workflowTaskTimedOut', 'workflowExecutionTimedOut') ||
      isNamed(next, 'workflowExecutionTerminated', 'workflowExecutionCanceled')
    ) {
      begun.pop();
      continue;
    }
    const afterNext = events[index + 2];
    if (isNamed(next, 'workflowTaskCompleted') && afterNext !== undefined) {
      // A task without commands, and the next one right after it: as if it were a heartbeat.
      if (!sawCommand && isNamed(afterNext, 'workflowTaskScheduled')) continue;
      if (isNamed(afterNext, 'workflowExecutionUpdateAccepted')) {
        const sequencing = Number(afterNext.attributes.acceptedRequestSequencingEventId);
        const before = begun.findLast(({ id }) => id < sequencing);
        if (before !== undefined) return { index: before.index, isComplete: true };
      }
      return { index, isComplete: true };
    }
    if (sawCommandOrStart) return { index, isComplete: true };
  }
  return { index: events.length - 1, isComplete: false };
}
