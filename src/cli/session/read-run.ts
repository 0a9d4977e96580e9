import type { AgentRunResult, Longhaul, RunHandle, RunState, RunTree } from '../../client';
import { addUsage, emptyUsage } from '../../core/budget/usage';
import { compactionsOf, type ShownCompaction } from '../../core/transcript/compactions';
import { hasEnded, type LogEntry, LonghaulError, type Message, timeouts } from '../../protocol';
import { type CliError, toCliError } from '../exit';
import { loadClient, loadServer } from './load-parts';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { PollingWorker } from '../../server';

const temporaryPrefix = 'longhaul-run-';

/** How a run ended. */
export type RunEnd = { readonly result: AgentRunResult } | { readonly error: CliError };

export type ShownRun = {
  readonly workflowId: string;
  readonly state: RunState;
  readonly tree: RunTree;
  readonly transcript: readonly Message[];
  /** What the model no longer sees of the transcript. */
  readonly compactions: readonly ShownCompaction[];
  readonly end?: RunEnd;
  /** No worker answered. The conversation lacks the parts that only the run itself knows. */
  readonly fromHistory: boolean;
};

/** Reads a run from its worker, or from the server if no worker polls. */
export async function readRun(longhaul: Longhaul, workflowId: string): Promise<ShownRun> {
  const { taskQueue } = await describeRun(longhaul, workflowId);
  const workers = await liveWorkers(longhaul.client, taskQueue);
  const fromHistory = workers.length === 0;
  const run = longhaul.run(workflowId, { withoutWorker: fromHistory });
  const state = await run.state();
  const tree = await run.tree();
  const [told, entries] = [await run.transcript(), await run.log()];
  // A workflow of agents keeps no log of its own. Its history has the input.
  const transcript =
    told.length > 0 ? told : await longhaul.run(workflowId, { withoutWorker: true }).transcript();
  const shown = {
    workflowId,
    state: state.logLength > 0 ? state : { ...state, ...countersOf(entries) },
    tree,
    compactions: compactionsOf(entries),
    fromHistory,
  };
  if (!hasEnded(state.status))
    return { ...shown, transcript: withoutOpenCalls(transcript, entries) };
  const end = await endOf(run);
  return { ...shown, transcript: withAnswer(transcript, end), end };
}

/** The counters of a state that has none. */
function countersOf(entries: readonly LogEntry[]): Pick<RunState, 'turn' | 'usage' | 'logLength'> {
  const turns = entries.filter((entry) => entry.kind === 'model-turn');
  const usage = turns.map((turn) => turn.usage).reduce(addUsage, emptyUsage);
  return { turn: turns.length, usage, logLength: entries.length };
}

/** Leaves out the placeholder results that a transcript has for open tool calls. */
export function withoutOpenCalls(
  transcript: readonly Message[],
  entries: readonly LogEntry[],
): readonly Message[] {
  const last = transcript.at(-1);
  if (last?.role !== 'tool') return transcript;
  const turnAt = entries.findLastIndex(({ kind }) => kind === 'model-turn');
  const since = entries.slice(turnAt + 1);
  const isAnswered = since.some(
    (entry) => entry.kind === 'decision' && entry.decision.kind === 'answer-calls',
  );
  if (isAnswered) return transcript;
  const closed = since.flatMap((entry) =>
    entry.kind === 'tool-result' ? [entry.result.callId] : [],
  );
  const parts = last.parts.filter(({ callId }) => closed.includes(callId));
  return [...transcript.slice(0, -1), ...(parts.length === 0 ? [] : [{ ...last, parts }])];
}

/** Adds the answer of a run that called no model itself. */
function withAnswer(transcript: readonly Message[], end: RunEnd): readonly Message[] {
  if ('error' in end || transcript.some(({ role }) => role === 'assistant')) return transcript;
  return [...transcript, { role: 'assistant', parts: end.result.finalResponse.content }];
}

async function endOf(run: RunHandle): Promise<RunEnd> {
  try {
    return { result: await run.result() };
  } catch (error) {
    return { error: toCliError(error) };
  }
}

type DescribedRun = {
  readonly type: string;
  readonly taskQueue: string;
  readonly state: RunState;
};

/** A run as the server describes it, without its worker: the state has no counters. */
export async function describeRun(longhaul: Longhaul, workflowId: string): Promise<DescribedRun> {
  const { client } = longhaul;
  try {
    const description = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const state = loadClient().stateFromMemo(description);
    return { type: description.type, taskQueue: description.taskQueue, state };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
    throw new LonghaulError('RunNotFound', `there is no run '${workflowId}'`, { cause: error });
  }
}

type LiveWorker = PollingWorker & {
  /** Belongs to a command such as `run`, and ends with it. */
  readonly isTemporary: boolean;
};

/** The identity of a command's own worker. */
export function temporaryIdentity(): string {
  return `${temporaryPrefix}${process.pid}@${hostname()}`;
}

/**
 * Workers that poll the task queue, without those whose process on this machine is gone. A worker that was killed on another machine
 * still counts.
 */
export async function liveWorkers(
  client: Client,
  taskQueue: string,
): Promise<readonly LiveWorker[]> {
  return (await loadServer().pollingWorkers(client, taskQueue))
    .filter(({ identity }) => !loadServer().isGone(identity))
    .map((worker) => ({ ...worker, isTemporary: worker.identity.startsWith(temporaryPrefix) }));
}
