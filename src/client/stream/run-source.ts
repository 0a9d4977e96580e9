// What a stream asks about one run. Queries and descriptions only: they write no history.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  type AgentRunResult,
  type ChildResult,
  type ChildView,
  type LogEntry,
  type RunState,
  timeouts,
} from '../../protocol';
import { describeIfThere } from '../server/calls';
import { runNotFound } from '../server/failures';
import { waitForResult } from '../read/result';
import { TreeReader } from '../read/run-tree';
import { RunView } from '../read/run-view';

/** The server may lose a query when the run ends, so a stream asks again soon. */
const queryMs = timeouts.serverCheck / 3;

/** A run has more events once it has begun. */
const mostEventsUnbegun = 20;

export interface RunSource {
  /** The newest execution, or the named one. Throws `RunNotFound`. */
  describe(runId?: string): Promise<WorkflowExecutionDescription>;
  /** Undefined if no worker answers in time. */
  state(): Promise<RunState | undefined>;
  /** The log of a run that works, from an index on. Undefined if no worker answers in time. */
  log(from: number): Promise<readonly LogEntry[] | undefined>;
  /** The log of a run that is closed. Undefined if no worker answers: history does not have all of it. */
  closedLog(from: number): Promise<readonly LogEntry[] | undefined>;
  children(): Promise<readonly ChildView[]>;
  /** The result of a run that has ended. Throws its error. */
  result(): Promise<AgentRunResult | ChildResult>;
}

export function sourceOf(client: Client, workflowId: string): RunSource {
  const view = new RunView(client, workflowId);
  return {
    describe: async (runId) => {
      if (runId === undefined) return await view.describe();
      const execution = await describeIfThere(client, { workflowId, runId });
      if (execution === undefined) throw runNotFound(workflowId, undefined);
      return execution;
    },
    state: () => view.stateOfWorker(),
    log: (from) => view.entriesOfWorker(from, (at) => view.pageOfWorker(at, queryMs)),
    closedLog: (from) => closedLogOf(view, from),
    children: async () => (await view.children()) ?? (await listedChildren(client, workflowId)),
    result: () => waitForResult({ client, workflowId, describe: () => view.describe() }),
  };
}

/** A run that ended before it began has an empty log, or answers no query. Its short history has its input, which is all that there is. */
async function closedLogOf(view: RunView, from: number): Promise<readonly LogEntry[] | undefined> {
  const entries = await view.entriesOfWorker(from);
  if (from > 0 || (entries?.length ?? 0) > 0) return entries;
  const { historyLength, status } = await view.describe();
  // Of a run that was refused, such as for its tools, the first event is its end.
  const isRefused = entries !== undefined && status.name === 'FAILED';
  if (isRefused || historyLength > mostEventsUnbegun) return entries;
  const input = await view.entriesOfHistory();
  return input.length > 1 ? entries : input;
}

async function listedChildren(client: Client, workflowId: string): Promise<readonly ChildView[]> {
  const tree = await new TreeReader(client, { withoutWorker: true }).read(workflowId);
  return tree.children.map(({ workflowId: id, runner, kind, path }) => ({
    workflowId: id,
    runner,
    ...(kind !== 'agent' && { kind }),
    path,
    status: 'open',
  }));
}
