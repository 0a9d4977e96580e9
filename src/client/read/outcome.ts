// Waits for a run's next pause or its end, with one shared update per pause.
//
// 1. Everybody who waits for pause n+1 uses the update id `outcome:<n+1>`. The server allows few open updates, but many waiters on one.
// 2. The run's status is read from its memo, which needs no worker. After a restart only the update makes a worker replay the run, once for
//    all waiters.
// 3. A reply `ended` has no result. The client reads the result from the run, because the same update would give the same reply again.
// 4. Each caller holds one long poll. A run that closes ends the update, and the server is asked again.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  type AgentRunOutcome,
  type AgentRunResult,
  LonghaulError,
  type OutcomeReply,
  type PendingInput,
  type RunState,
  updateNames,
} from '../../protocol';
import { asLonghaulError, isCutOff, isNotFound, readable } from '../server/failures';
import { placeOf } from '../../server';
import { patiently, uninterrupted } from '../server/calls';
import { hasClosed, stateFromMemo } from './run-view';
import { requireWorker, whileServed } from '../server/workers';

export type OutcomeSource = {
  readonly client: Client;
  readonly workflowId: string;
  readonly describe: () => Promise<WorkflowExecutionDescription>;
  readonly state: () => Promise<RunState>;
  readonly result: () => Promise<AgentRunResult>;
  /** Explains, as an error, why the run takes no update. */
  readonly untaken: (error: unknown) => Promise<unknown>;
};

export async function waitForOutcome(source: OutcomeSource): Promise<AgentRunOutcome> {
  const { client, workflowId } = source;
  // Once: who waits for a person may wait longer than a worker lives.
  const requireOne = (signal: AbortSignal): Promise<undefined> =>
    patiently(async () => {
      const place = placeOf(await source.describe());
      await requireWorker(client, { ...place, workflowId, signal });
      return undefined;
    });
  try {
    return await whileServed(requireOne, (signal) => nextOutcome(source, signal));
  } catch (error) {
    throw asLonghaulError(error);
  }
}

async function nextOutcome(source: OutcomeSource, signal: AbortSignal): Promise<AgentRunOutcome> {
  for (;;) {
    const outcome = await patiently(() => look(source, signal));
    if (outcome !== undefined) return outcome;
  }
}

/** Undefined if the run moved on meanwhile: look again. */
async function look(
  source: OutcomeSource,
  signal: AbortSignal,
): Promise<AgentRunOutcome | undefined> {
  const execution = await source.describe();
  // A complete run may still be open, for instance to save. Its outcome does not change any more.
  const { status, pauseSeq } = stateFromMemo(execution);
  if (hasClosed(execution) || status === 'failed' || status === 'cancelled')
    return complete(await source.result());
  if (status !== 'needs-input')
    return await outcomeOf(source, await nextReply(source, pauseSeq, signal));
  // Only the run itself has its questions in full.
  const state = await source.state();
  if (state.pending.length > 0) return needsInput(state.pending);
  return await outcomeOf(source, await nextReply(source, state.pauseSeq, signal));
}

async function nextReply(
  { client, workflowId, untaken }: OutcomeSource,
  pauseSeq: number,
  signal: AbortSignal,
): Promise<OutcomeReply> {
  const ask = (): Promise<OutcomeReply> =>
    client.workflow.getHandle(workflowId).executeUpdate<OutcomeReply, []>(updateNames.outcome, {
      updateId: `outcome:${pauseSeq + 1}`,
    });
  try {
    return readable(await uninterrupted(() => client.withAbortSignal(signal, ask)));
  } catch (error) {
    // The run closed, or moved on to its next execution, during the update.
    if (isCutOff(error) || isNotFound(error)) return { kind: 'moved' };
    throw await untaken(error);
  }
}

async function outcomeOf(
  source: OutcomeSource,
  reply: OutcomeReply,
): Promise<AgentRunOutcome | undefined> {
  if (reply.kind === 'complete') return complete(reply.result);
  if (reply.kind === 'ended') return complete(await source.result());
  return reply.kind === 'needs-input' ? needsInput(reply.pending) : undefined;
}

function complete(result: AgentRunResult): AgentRunOutcome {
  return { kind: 'complete', result };
}

function needsInput(pending: readonly PendingInput[]): AgentRunOutcome {
  const [first] = pending;
  if (first === undefined)
    throw new LonghaulError('InternalError', 'the run is paused but has no open input');
  const { kind: _kind, ...fields } = first;
  return { kind: 'needs-input', pending, ...fields };
}
