// What a stream asks about one run. Queries and descriptions only: they write no history.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { LogEntry } from '../../protocol/log';
import type { AgentRunResult, ChildResult, ChildView, RunState } from '../../protocol/run';
import { describeIfThere } from '../calls';
import { runNotFound } from '../failures';
import { waitForResult } from '../result';
import { TreeReader } from '../run-tree';
import { RunView } from '../run-view';

export interface RunSource {
  /** The newest execution, or the named one. Throws `RunNotFound`. */
  describe(runId?: string): Promise<WorkflowExecutionDescription>;
  /** Undefined if no worker answers in time. */
  state(): Promise<RunState | undefined>;
  /** The log from an index on. It is not whole if it comes from history, because no worker answers. */
  read(from: number): Promise<{ readonly entries: readonly LogEntry[]; readonly isWhole: boolean }>;
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
    read: (from) => view.read(from),
    children: async () => (await view.children()) ?? (await listedChildren(client, workflowId)),
    result: () => waitForResult({ client, workflowId, describe: () => view.describe() }),
  };
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
