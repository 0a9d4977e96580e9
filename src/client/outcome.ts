// Waiting for a run's next pause or its end, by one shared update per pause and the run's own result.
//
// All who wait for pause n+1 use the update id `outcome:<n+1>`: the server lets few updates be in flight, but serves many waiters of
// one. The update is raced with the result, because the SDK hides a refused update and retries it.

import type { Client } from '@temporalio/client';
import { InternalError } from '../protocol/error-classes';
import { updateNames } from '../protocol/names';
import type {
  AgentRunOutcome,
  AgentRunResult,
  OutcomeReply,
  PendingInput,
  RunState,
} from '../protocol/run';
import { isCutOff, isNotFound, updateRefusal } from './failures';
import { uninterrupted } from './uninterrupted';
import { requireWorker } from './worker-watch';

export type OutcomeSource = {
  readonly client: Client;
  readonly runId: string;
  readonly state: () => Promise<RunState>;
  readonly result: () => Promise<AgentRunResult>;
  readonly taskQueue: () => Promise<string>;
};

export async function waitForOutcome(source: OutcomeSource): Promise<AgentRunOutcome> {
  const waiting = new AbortController();
  const outcome = nextOutcome(source, waiting.signal);
  const watched = watchWorker(source, waiting.signal);
  try {
    return await Promise.race([outcome, watched]);
  } finally {
    waiting.abort();
    for (const left of [outcome, watched]) left.catch(() => undefined);
  }
}

async function nextOutcome(source: OutcomeSource, signal: AbortSignal): Promise<AgentRunOutcome> {
  for (;;) {
    const { status, pauseSeq, pending } = await source.state();
    // One that is complete may still be open, saving or with branches nobody waits for: its outcome is out all the same.
    if (status === 'failed' || status === 'cancelled') return complete(await source.result());
    if (pending.length > 0) return needsInput(pending);
    const reply = await nextReply(source, pauseSeq, signal);
    if (reply.kind === 'complete') return complete(reply.result);
    if (reply.kind === 'needs-input') return needsInput(reply.pending);
    if (reply.kind === 'ended') return complete(await source.result());
  }
}

async function nextReply(
  source: OutcomeSource,
  pauseSeq: number,
  signal: AbortSignal,
): Promise<OutcomeReply> {
  const { client, runId } = source;
  const answered = new AbortController();
  const abortable = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
    client.withAbortSignal(AbortSignal.any([signal, answered.signal]), call);
  const ask = (): Promise<OutcomeReply> =>
    client.workflow.getHandle(runId).executeUpdate<OutcomeReply, []>(updateNames.outcome, {
      updateId: `outcome:${pauseSeq + 1}`,
    });
  const update = uninterrupted(() => abortable(ask)).catch(askAgain);
  const ended = abortable(source.result).then((result): OutcomeReply => ({
    kind: 'complete',
    result,
  }));
  try {
    return await Promise.race([update, ended]);
  } finally {
    answered.abort();
    for (const left of [update, ended]) left.catch(() => undefined);
  }
}

/** The run moved on to its next execution, or closed while the update was under way: look again. */
function askAgain(error: unknown): OutcomeReply {
  if (isCutOff(error)) return { kind: 'moved' };
  if (isNotFound(error)) return { kind: 'ended' };
  throw updateRefusal(error) ?? error;
}

/** Rejects when no worker polls; otherwise never settles. */
async function watchWorker(source: OutcomeSource, signal: AbortSignal): Promise<never> {
  await requireWorker(source.client, {
    taskQueue: await source.taskQueue(),
    runId: source.runId,
    signal,
  });
  return await new Promise<never>(() => undefined);
}

function complete(result: AgentRunResult): AgentRunOutcome {
  return { kind: 'complete', result };
}

function needsInput(pending: readonly PendingInput[]): AgentRunOutcome {
  const [first] = pending;
  if (first === undefined) throw new InternalError('a pause without an open input');
  const { kind: _kind, ...fields } = first;
  return { kind: 'needs-input', pending, ...fields };
}
