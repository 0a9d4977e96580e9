import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { HintSinks } from '../../protocol/cancel-hint';

const { longhaul } = proxySinks<HintSinks>();

/**
 * Says that calls of this execution are cancelled. Otherwise their workers learn of it with the answer to their next heartbeat, which may
 * take seconds. It is no command, so history does not have it.
 */
export function hintAtCancelledCalls(): void {
  if (!workflowInfo().unsafe.isReplaying) longhaul.callsCancelled();
}
