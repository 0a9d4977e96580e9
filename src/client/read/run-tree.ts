// Reads a run and its child runs: asks each run, or reads the server's list and memos if no worker answers.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { emptyUsage } from '../../core/budget/usage';
import {
  type ChildView,
  hasCode,
  kindOfType,
  type PendingInput,
  type RunnerSpec,
  type RunState,
  type RunStatus,
  type Usage,
} from '../../protocol';
import { defined, grpcStatus } from '../../base';
import { asLonghaulError, hasGrpcStatus } from '../server/failures';
import { limited } from '../server/calls';
import { RunView, stateFromMemo, type ReadOptions } from './run-view';

/** A run and its child runs, in the order of their calls. */
export type RunTree = {
  readonly workflowId: string;
  readonly runner: string;
  /** If no worker answers for a root run that was started by id, this is `agent`. */
  readonly kind: RunnerSpec['kind'];
  /** The path from the root run. */
  readonly path: string;
  readonly status: RunStatus;
  /** If no worker answers, the counters are 0 and the usage is unknown. */
  readonly turn: number;
  readonly iterations: number;
  /** Includes child runs that have ended. */
  readonly usage: Usage;
  readonly costUsd?: number;
  /** Open inputs of this run itself. Those of child runs are in `children`. */
  readonly pending: readonly PendingInput[];
  readonly children: readonly RunTree[];
};

/** Runs to ask at once. */
const atATime = 10;

/** Does not ask workers again once one did not answer. */
export class TreeReader {
  readonly #client: Client;
  readonly #limited = limited(atATime);
  #asksWorkers: boolean;
  #listed: Promise<ReadonlyMap<string, readonly WorkflowExecutionInfo[]>> | undefined;

  constructor(client: Client, { withoutWorker = false }: ReadOptions) {
    this.#client = client;
    this.#asksWorkers = !withoutWorker;
  }

  /** Throws `RunNotFound`. */
  async read(workflowId: string): Promise<RunTree> {
    const view = new RunView(this.#client, workflowId, { withoutWorker: !this.#asksWorkers });
    const children = await this.#limited(() => view.children());
    if (children === undefined) {
      this.#asksWorkers = false;
      return await this.#readList(view);
    }
    const state = await this.#limited(() => view.state());
    const below = await Promise.all(children.map((child) => this.#readChild(child)));
    return treeOf(workflowId, state, below);
  }

  /** If a child has not started, or the server has deleted it, shows it as its caller knows it. */
  async #readChild(child: ChildView): Promise<RunTree> {
    try {
      const tree = await this.read(child.workflowId);
      return { ...tree, kind: child.kind ?? 'agent' };
    } catch (error) {
      if (!hasCode(error, 'RunNotFound')) throw error;
      return {
        workflowId: child.workflowId,
        runner: child.runner,
        kind: child.kind ?? 'agent',
        path: child.path,
        status: child.status === 'open' ? 'loading' : child.status,
        turn: 0,
        iterations: 0,
        usage: emptyUsage,
        pending: [],
        children: [],
      };
    }
  }

  async #readList(view: RunView): Promise<RunTree> {
    const execution = await this.#limited(() => view.describe());
    this.#listed ??= this.#list(execution.rootExecution?.workflowId ?? execution.workflowId);
    return listedTree(execution, await this.#listed);
  }

  /** Runs below the root workflow, by the run id of their caller. Empty if the server cannot list them. */
  async #list(root: string): Promise<ReadonlyMap<string, readonly WorkflowExecutionInfo[]>> {
    const query = `RootWorkflowId = '${root.replaceAll("'", "''")}'`;
    const called = new Map<string, WorkflowExecutionInfo[]>();
    try {
      for await (const execution of this.#client.workflow.list({ query })) {
        const caller = execution.parentExecution?.runId ?? '';
        called.set(caller, [execution, ...(called.get(caller) ?? [])]);
      }
    } catch (error) {
      if (!hasGrpcStatus(error, grpcStatus.invalidArgument)) throw asLonghaulError(error);
    }
    return called;
  }
}

function treeOf(workflowId: string, state: RunState, children: readonly RunTree[]): RunTree {
  const { runner, kind = 'agent', path, status, turn, iterations, usage, costUsd } = state;
  return {
    workflowId,
    runner,
    kind,
    path,
    status,
    turn,
    iterations,
    usage,
    ...defined({ costUsd }),
    pending: state.pending.filter((input) => input.path === path),
    children,
  };
}

function listedTree(
  execution: Omit<WorkflowExecutionInfo, 'raw'>,
  called: ReadonlyMap<string, readonly WorkflowExecutionInfo[]>,
): RunTree {
  const children = (called.get(execution.runId) ?? []).map((child) => listedTree(child, called));
  const kind = kindOfType(execution.type) ?? 'agent';
  return { ...treeOf(execution.workflowId, stateFromMemo(execution), children), kind };
}
