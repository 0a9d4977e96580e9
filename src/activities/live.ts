// Sends live events to the people who watch a run.

import { Context } from '@temporalio/activity';
import type { Deltas } from '../stores/index';
import type { CallModelInput, CallToolInput, LiveAttempt, LiveEvent, LivePlace } from '../protocol';
import { ownWorkflowId } from './definition/pinned-definition';

type Carrier = { readonly deltas?: Deltas };

/** Never throws: a carrier may be the user's own, and its failure must not end a call. */
export function publish(deltas: Deltas | undefined, event: () => LiveEvent): void {
  try {
    deltas?.publish(event());
  } catch {
    // The event is lost. Its turn will be in the log.
  }
}

export function modelCallEnded({ deltas }: Carrier, input: CallModelInput): void {
  publish(deltas, () => {
    const ended = { turn: input.turn, ...currentAttempt() };
    return { kind: 'moved', ...placeOf(input), ended };
  });
}

export function toolCallEnded({ deltas }: Carrier, input: CallToolInput): void {
  publish(deltas, () => ({ kind: 'moved', ...placeOf(input) }));
}

type CallInput = Pick<CallModelInput | CallToolInput, 'definition' | 'agentId' | 'path'>;

/** The run of a call. The topmost run holds the definition. */
export function placeOf({ definition, agentId, path = agentId }: CallInput): LivePlace {
  const workflowId = ownWorkflowId();
  return { root: definition.root ?? workflowId, workflowId, path, agent: agentId };
}

/** If a run cut a call, it makes the call again, with attempt 1. Only the time of the call makes the two different. */
export function currentAttempt(): Omit<LiveAttempt, 'turn'> {
  const { attempt, scheduledTimestampMs } = Context.current().info;
  return { calledAt: scheduledTimestampMs, attempt };
}
