// Waiting for a run's next pause or its end, by one shared update per pause.
//
// 1. All who wait for pause n+1 use the update id `outcome:<n+1>`: the server lets few updates be in flight, but serves many waiters
//    of one.
// 2. Where the run stands is read from its memo, which costs no worker anything: after a restart the update alone has the run
//    replayed, once for all who wait.
// 3. A reply that leaves the result out says `ended`: it is read from the run, for the same update would say the same again.
// 4. One long poll a caller. A run that closes ends the update, and the server is asked again.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { LonghaulError } from '../protocol/errors';
import { updateNames } from '../protocol/names';
import type {
  AgentRunOutcome,
  AgentRunResult,
  OutcomeReply,
  PendingInput,
  RunState,
} from '../protocol/run';
import { asLonghaulError, isCutOff, isNotFound, readable } from './failures';
import { patiently, uninterrupted } from './calls';
import { hasClosed, stateFromMemo } from './run-view';
import { requireWorker } from './workers';

export type OutcomeSource = {
  readonly client: Client;
  readonly workflowId: string;
  readonly describe: () => Promise<WorkflowExecutionDescription>;
  readonly state: () => Promise<RunState>;
  readonly result: () => Promise<AgentRunResult>;
  /** What it means that the run takes no update, as an error. */
  readonly untaken: (error: unknown) => Promise<unknown>;
};

export async function waitForOutcome(source: OutcomeSource): Promise<AgentRunOutcome> {
  const waiting = new AbortController();
  const outcome = nextOutcome(source, waiting.signal);
  const watched = watchWorker(source, waiting.signal);
  try {
    return await Promise.race([outcome, watched]);
  } catch (error) {
    throw asLonghaulError(error);
  } finally {
    waiting.abort();
    for (const left of [outcome, watched]) left.catch(() => undefined);
  }
}

async function nextOutcome(source: OutcomeSource, signal: AbortSignal): Promise<AgentRunOutcome> {
  for (;;) {
    const outcome = await patiently(() => look(source, signal));
    if (outcome !== undefined) return outcome;
  }
}

/** Undefined where the run moved on meanwhile: look again. */
async function look(
  source: OutcomeSource,
  signal: AbortSignal,
): Promise<AgentRunOutcome | undefined> {
  const execution = await source.describe();
  // One that is complete may still be open, saving or with branches nobody waits for: its outcome is out all the same.
  const { status, pauseSeq } = stateFromMemo(execution);
  if (hasClosed(execution) || status === 'failed' || status === 'cancelled')
    return complete(await source.result());
  if (status !== 'needs-input')
    return await outcomeOf(source, await nextReply(source, pauseSeq, signal));
  // Only the run itself tells its questions whole.
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
    // The run moved on to its next execution, or closed while the update was under way.
    if (isCutOff(error) || isNotFound(error)) return { kind: 'moved' };
    throw await untaken(error);
  }
}

/** Rejects when no worker polls; otherwise never settles. */
async function watchWorker(source: OutcomeSource, signal: AbortSignal): Promise<never> {
  const { client, workflowId } = source;
  await patiently(async () => {
    const { taskQueue } = await source.describe();
    await requireWorker(client, { taskQueue, workflowId, signal });
  });
  return await new Promise<never>(() => undefined);
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
    throw new LonghaulError('InternalError', 'a pause without an open input');
  const { kind: _kind, ...fields } = first;
  return { kind: 'needs-input', pending, ...fields };
}
