// What runs wait for, read by any process: from the server's list, which has each run's memo.
//
// 1. A run is asked only where its memo leaves out inputs, or the caller wants all of them whole: a worker may have to replay it for that.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { queryNames, searchAttributes, whereType } from '../protocol/names';
import type { PendingInput, RunMemo } from '../protocol/run';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus, isNotFound } from './failures';
import { pollingWorkers } from './workers';
import { memoOf, stateFromMemo, type ReadOptions } from './run-view';
import { type SearchIndex, Whose, type WhoseFilter } from './executions';

/** Something a run, or a turn of a thread, waits for. It is answered by `run(workflowId)`: `resume`, or `approve` and `reject`, with the `inputId`. */
export type InboxItem = PendingInput & {
  /** The root run, or the thread, wherever below it was asked: `path` says where. */
  readonly workflowId: string;
  /** The agent of that run; `agentId` is the one that asked. */
  readonly agent: string;
  /**
   * The run itself was asked. False: this comes from the memo, where the question is cut at 200 bytes, options and call are left out.
   * All of it is in `run(workflowId).pending()`.
   */
  readonly isComplete: boolean;
};

export type InboxFilter = ReadOptions &
  WhoseFilter & {
    readonly kind?: PendingInput['kind'];
    /** At most this many items. */
    readonly limit?: number;
    /**
     * Each run that is listed is asked for all of it, ten at a time: a worker replays those that it has not in memory. Default false: only
     * a run whose memo leaves out inputs, with more than about ten open, is asked.
     */
    readonly whole?: boolean;
  };

/** A pending input as the memo has it, too. */
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
  for await (const execution of index.list(openRuns, [waits, ...whose.conditions])) {
    const isListed = whose.matches(memoOf(execution)) && isWaiting(execution);
    if (isListed) yield { items: reader.read(execution) };
  }
}

/** A child's inputs are its root run's, too, and listed there. */
function isWaiting(execution: WorkflowExecutionInfo): boolean {
  return memoOf(execution).path === undefined && stateFromMemo(execution).status === 'needs-input';
}

/** Wrapped, or the generator would wait for it. */
type InboxReading = { readonly items: Promise<readonly InboxItem[]> };

/** The items in the order in which reading them began, while a few more are being read. */
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

/** Reads what runs wait for. A task queue whose workers did not answer once is not asked again. */
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

  /** Never rejects: what the run itself cannot be asked for is in its memo. */
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
      return await this.#client.withDeadline(Date.now() + timeouts.serverCheck, () =>
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
