// Reads the open inputs of all runs from the server's list, which has each run's memo.
//
// 1. It asks a run itself only if the memo leaves out inputs, or if the caller wants them in full, because a worker may have to replay the
//    run.
// 2. The server cannot sort by the age of an input. So the list is sorted only within the runs that fit in memory.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { inTime, limited } from '../server/calls';
import {
  type PendingInput,
  queryNames,
  type RunMemo,
  searchAttributes,
  whereType,
} from '../../protocol';
import { grpcStatus } from '../../base';
import { hasGrpcStatus, isNotFound } from '../server/failures';
import { pollingWorkers } from '../../server';
import { memoOf, stateFromMemo, type ReadOptions } from './run-view';
import { type SearchIndex, Whose, type WhoseFilter, windows } from '../server/executions';

/** An open input of a run or of a turn. Answer it with `run(workflowId)`: `resume`, `approve` or `reject`, with the `inputId`. */
export type InboxItem = PendingInput & {
  /** The root run or thread. `path` names the run below it that asked. */
  readonly workflowId: string;
  /** The agent of the root run. `agentId` is the agent that asked. */
  readonly agent: string;
  /**
   * Whether this comes from the run itself. If false, it comes from the memo, which cuts the question at 300 bytes and lacks options and
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
  const { limit = Infinity, kind, whole = false } = filter;
  const reader = new InputReader(index.client, filter);
  let count = 0;
  for await (const runs of windows(waitingRuns(index, filter))) {
    reader.forget();
    const found = await Promise.all(runs.map((run) => reader.read(run)));
    const items = found.flat().filter((item) => kind === undefined || item.kind === kind);
    const sorted = items.sort(byAge);
    for await (const item of whole ? inOrder(sorted, (each) => reader.whole(each)) : sorted) {
      if (count >= limit) return;
      count += 1;
      yield item;
    }
  }
}

/** Anybody may write a memo, so `since` may be anything. */
function byAge({ since: left }: InboxItem, { since: right }: InboxItem): number {
  return String(left).localeCompare(String(right), 'en');
}

async function* waitingRuns(
  index: SearchIndex,
  filter: InboxFilter,
): AsyncGenerator<WorkflowExecutionInfo, void, void> {
  const whose = new Whose(filter, ['kind', 'limit', 'whole', 'withoutWorker']);
  for await (const execution of index.list(openRuns, whose, [waits]))
    if (isWaiting(execution)) yield execution;
}

/** The inbox lists the inputs of a child run under its root run. */
function isWaiting(execution: WorkflowExecutionInfo): boolean {
  return memoOf(execution).path === undefined && stateFromMemo(execution).status === 'needs-input';
}

/** Yields items in order, while it reads ahead a few more. An item may be gone meanwhile. */
async function* inOrder(
  items: readonly InboxItem[],
  read: (item: InboxItem) => Promise<InboxItem | undefined>,
): AsyncGenerator<InboxItem, void, void> {
  const started: Promise<InboxItem | undefined>[] = [];
  for (const next of items) {
    started.push(read(next));
    if (started.length < atATime) continue;
    const item = await started.shift();
    if (item !== undefined) yield item;
  }
  for (const last of started) {
    const item = await last;
    if (item !== undefined) yield item;
  }
}

/** Reads the open inputs of runs. Does not ask a task queue again once its workers did not answer. */
class InputReader {
  readonly #client: Client;
  readonly #asksWorkers: boolean;
  readonly #limited = limited(atATime);
  readonly #queues = new Map<string, string>();
  readonly #asked = new Map<string, Promise<readonly PendingInput[] | undefined>>();
  readonly #answering = new Map<string, Promise<boolean>>();

  constructor(client: Client, { withoutWorker = false }: InboxFilter) {
    this.#client = client;
    this.#asksWorkers = !withoutWorker;
  }

  /** Asks the run only if its memo leaves out inputs. Never rejects: falls back to the memo. */
  async read(execution: WorkflowExecutionInfo): Promise<readonly InboxItem[]> {
    const { workflowId, taskQueue } = execution;
    const { agent, pending, morePending } = memoOf(execution);
    this.#queues.set(workflowId, taskQueue);
    const asked = morePending === undefined ? undefined : await this.#askOnce(workflowId);
    const isComplete = asked !== undefined;
    const inputs: readonly MemoInput[] = asked ?? pending ?? [];
    return inputs.map((input) => ({ workflowId, agent, ...input, isComplete }));
  }

  /** Drops what it knows of the runs so far, because nobody asks for them again. */
  forget(): void {
    this.#queues.clear();
    this.#asked.clear();
  }

  /** The item as the run itself has it. Undefined if somebody has answered it. */
  async whole(item: InboxItem): Promise<InboxItem | undefined> {
    const asked = await this.#askOnce(item.workflowId);
    if (asked === undefined) return item;
    const input = asked.find(({ inputId }) => inputId === item.inputId);
    return input && { ...item, ...input, isComplete: true };
  }

  async #askOnce(workflowId: string): Promise<readonly PendingInput[] | undefined> {
    if (!this.#asksWorkers) return undefined;
    const asked = this.#asked.get(workflowId) ?? this.#limited(() => this.#ask(workflowId));
    this.#asked.set(workflowId, asked);
    return await asked;
  }

  async #ask(workflowId: string): Promise<readonly PendingInput[] | undefined> {
    const taskQueue = this.#queues.get(workflowId) ?? '';
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
