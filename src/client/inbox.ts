// The open inputs of all runs, read from the server's list, which has each run's memo.
//
// 1. A run itself is asked only if its memo leaves out inputs, or if the caller wants them in full: a worker may have to replay the run.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { inTime } from './calls';
import { queryNames, searchAttributes, whereType } from '../protocol/names';
import type { PendingInput, RunMemo } from '../protocol/run';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus, isNotFound } from './failures';
import { pollingWorkers } from './workers';
import { memoOf, stateFromMemo, type ReadOptions } from './run-view';
import { type SearchIndex, Whose, type WhoseFilter } from './executions';

/** An open input of a run or of a turn. Answer it with `run(workflowId)`: `resume`, `approve` or `reject`, with the `inputId`. */
export type InboxItem = PendingInput & {
  /** The root run or thread. `path` says which run below it asked. */
  readonly workflowId: string;
  /** The agent of the root run. `agentId` is the agent that asked. */
  readonly agent: string;
  /**
   * Whether this comes from the run itself. If false, it comes from the memo, which cuts the question at 200 bytes and lacks options and
   * call. `run(workflowId).pending()` has all of it.
   */
  readonly isComplete: boolean;
};

export type InboxFilter = ReadOptions &
  WhoseFilter & {
    readonly kind?: PendingInput['kind'];
    /** At most this many items. */
    readonly limit?: number;
    /**
     * Ask each listed run for its full inputs, ten runs at a time. Workers replay runs that they do not have in memory. Default false: asks
     * only runs with more inputs than a memo holds, about ten.
     */
    readonly whole?: boolean;
  };

/** A pending input; the memo may have only part of it. */
type MemoInput = NonNullable<RunMemo['pending']>[number];

/** Runs asked at a time. */
const atATime = 10;

const openRuns = `${whereType()} AND ExecutionStatus = 'Running'`;
const waits = `${searchAttributes.status} = 'needs-input'`;

export async function* listInbox(
  index: SearchIndex,
  filter: InboxFilter,
): AsyncGenerator<InboxItem, void, void> {
  const { limit = Infinity, kind } = filter;
  let count = 0;
  for await (const items of inOrder(reading(index, filter))) {
    for (const item of items) {
      if (kind !== undefined && item.kind !== kind) continue;
      if (count >= limit) return;
      count += 1;
      yield item;
    }
  }
}

async function* reading(
  index: SearchIndex,
  filter: InboxFilter,
): AsyncGenerator<InboxReading, void, void> {
  const whose = new Whose(filter, ['kind', 'limit', 'whole', 'withoutWorker']);
  const reader = new InputReader(index.client, filter);
  for await (const execution of index.list(openRuns, whose, [waits])) {
    if (isWaiting(execution)) yield { items: reader.read(execution) };
  }
}

/** The inbox lists the inputs of a child run under its root run. */
function isWaiting(execution: WorkflowExecutionInfo): boolean {
  return memoOf(execution).path === undefined && stateFromMemo(execution).status === 'needs-input';
}

/** Wraps the promise, because a generator waits for a promise that it yields. */
type InboxReading = { readonly items: Promise<readonly InboxItem[]> };

/** Yields items in order, while it reads ahead a few more. */
async function* inOrder(
  readings: AsyncIterable<InboxReading>,
): AsyncGenerator<readonly InboxItem[], void, void> {
  const started: InboxReading[] = [];
  for await (const reading of readings) {
    started.push(reading);
    if (started.length < atATime) continue;
    yield (await started.shift()?.items) ?? [];
  }
  for (const { items } of started) yield await items;
}

/** Reads the open inputs of runs. Does not ask a task queue again once its workers did not answer. */
class InputReader {
  readonly #client: Client;
  readonly #asksWorkers: boolean;
  readonly #asksAll: boolean;
  readonly #answering = new Map<string, Promise<boolean>>();

  constructor(client: Client, { withoutWorker = false, whole = false }: InboxFilter) {
    this.#client = client;
    this.#asksWorkers = !withoutWorker;
    this.#asksAll = whole;
  }

  /** Never rejects: falls back to the memo. */
  async read(execution: WorkflowExecutionInfo): Promise<readonly InboxItem[]> {
    const { workflowId } = execution;
    const { agent, pending, morePending } = memoOf(execution);
    const isDue = this.#asksWorkers && (this.#asksAll || morePending !== undefined);
    const asked = isDue ? await this.#ask(execution) : undefined;
    const isComplete = asked !== undefined;
    const inputs: readonly MemoInput[] = asked ?? pending ?? [];
    return inputs.map((input) => ({ workflowId, agent, ...input, isComplete }));
  }

  async #ask(execution: WorkflowExecutionInfo): Promise<readonly PendingInput[] | undefined> {
    const { taskQueue, workflowId } = execution;
    if (!(await this.#isAnswering(taskQueue))) return undefined;
    try {
      const handle = this.#client.workflow.getHandle(workflowId);
      return await inTime(this.#client, () =>
        handle.query<readonly PendingInput[]>(queryNames.pending),
      );
    } catch (error) {
      if (isNotFound(error)) return [];
      if (hasGrpcStatus(error, grpcStatus.cancelled, grpcStatus.deadlineExceeded)) {
        this.#answering.set(taskQueue, Promise.resolve(false));
      }
      return undefined;
    }
  }

  async #isAnswering(taskQueue: string): Promise<boolean> {
    const known = this.#answering.get(taskQueue);
    if (known !== undefined) return await known;
    const asked = pollingWorkers(this.#client, taskQueue).then(
      (workers) => workers.length > 0,
      () => true,
    );
    this.#answering.set(taskQueue, asked);
    return await asked;
  }
}
