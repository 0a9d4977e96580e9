// What all runs wait for, read by any process: from the server's list, and each run asked where a worker can answer for it.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import {
  idPatterns,
  queryNames,
  searchAttributes,
  threadType,
  workflowTypes,
} from '../protocol/names';
import type { PendingInput, RunMemo } from '../protocol/run';
import { isRegistered, readAttributes } from '../server/search-attributes';
import { grpcStatus, hasGrpcStatus, isNotFound } from './failures';
import { pollingWorkers } from './polling-workers';
import { memoOf, stateFromMemo, type ReadOptions } from './run-view';

/** Something a run, or a turn of a thread, waits for. It is answered by `run(runId)`: `resume`, or `approve` and `reject`, with the `inputId`. */
export type InboxItem = PendingInput & {
  /** The topmost run, or the thread, wherever below it was asked: `path` says where. */
  readonly runId: string;
  /** The agent of that run; `agentId` is the one that asked. */
  readonly agent: string;
  /**
   * The run itself was asked. False: no worker answered, so this comes from the memo, where the question is cut at 200 bytes, options
   * and call are left out, and inputs beyond 2 KiB, too.
   */
  readonly isComplete: boolean;
};

export type InboxFilter = ReadOptions & {
  /** Only runs of this agent, as in `runs`. */
  readonly agent?: string;
  readonly kind?: PendingInput['kind'];
  /** At most this many items. */
  readonly limit?: number;
};

/** A pending input as the memo has it, too. */
type MemoInput = NonNullable<RunMemo['pending']>[number];

/** Runs asked at a time. */
const atATime = 10;

export class Inbox {
  readonly #client: Client;
  #isIndexed: Promise<boolean> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async *items(filter: InboxFilter): AsyncGenerator<InboxItem, void, void> {
    const { limit = Infinity, kind } = filter;
    let count = 0;
    for await (const items of inOrder(this.#reading(filter))) {
      for (const item of items) {
        if (kind !== undefined && item.kind !== kind) continue;
        if (count >= limit) return;
        count += 1;
        yield item;
      }
    }
  }

  async *#reading(filter: InboxFilter): AsyncGenerator<Reading, void, void> {
    const query = inboxQuery(filter.agent, await this.#hasIndex());
    const reader = new InputReader(this.#client, filter.withoutWorker !== true);
    for await (const execution of this.#client.workflow.list({ query })) {
      if (isWaiting(execution, filter.agent)) yield { items: reader.read(execution) };
    }
  }

  /** A registered attribute stays: asked once. A server that does not say counts as without, and one out of reach is asked again. */
  async #hasIndex(): Promise<boolean> {
    this.#isIndexed ??= this.#askForIndex();
    return await this.#isIndexed;
  }

  async #askForIndex(): Promise<boolean> {
    const { connection, options } = this.#client;
    const { operatorService } = connection;
    try {
      const states = await this.#client.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
        readAttributes({ operatorService, namespace: options.namespace }),
      );
      return states.every(isRegistered);
    } catch (error) {
      if (hasGrpcStatus(error, grpcStatus.unavailable, grpcStatus.deadlineExceeded)) {
        this.#isIndexed = undefined;
      }
      return false;
    }
  }
}

/**
 * Open runs that may wait. With the index the server leaves out those that do not; runs that started before it was there have no
 * status in it, and are told by their memo as all are without it.
 */
export function inboxQuery(agent: string | undefined, isIndexed: boolean): string {
  const types = [...Object.values(workflowTypes), threadType].map((type) => `'${type}'`);
  const open = `WorkflowType IN (${types.join(', ')}) AND ExecutionStatus = 'Running'`;
  if (!isIndexed) return open;
  const isOrUnknown = (name: string, value: string): string =>
    ` AND (${name} = '${value}' OR ${name} IS NULL)`;
  const ofAgent =
    agent !== undefined && idPatterns.agent.test(agent)
      ? isOrUnknown(searchAttributes.agent, agent)
      : '';
  return open + isOrUnknown(searchAttributes.status, 'needs-input') + ofAgent;
}

/** A child's inputs are its topmost run's, too, and listed there. */
function isWaiting(execution: WorkflowExecutionInfo, agent: string | undefined): boolean {
  const memo = memoOf(execution);
  if (memo.path !== undefined) return false;
  if (agent !== undefined && memo.agent !== agent) return false;
  return stateFromMemo(execution).status === 'needs-input';
}

/** Wrapped, or the generator would wait for it. */
type Reading = { readonly items: Promise<readonly InboxItem[]> };

/** The items in the order in which reading them began, while a few more are being read. */
async function* inOrder(
  readings: AsyncIterable<Reading>,
): AsyncGenerator<readonly InboxItem[], void, void> {
  const started: Reading[] = [];
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
  readonly #answering = new Map<string, Promise<boolean>>();

  constructor(client: Client, asksWorkers: boolean) {
    this.#client = client;
    this.#asksWorkers = asksWorkers;
  }

  /** Never rejects: what the run itself cannot be asked for is in its memo. */
  async read(execution: WorkflowExecutionInfo): Promise<readonly InboxItem[]> {
    const { workflowId: runId } = execution;
    const { agent, pending } = memoOf(execution);
    const asked = await this.#ask(execution);
    const isComplete = asked !== undefined;
    const inputs: readonly MemoInput[] = asked ?? (Array.isArray(pending) ? pending : []);
    return inputs.map((input) => ({ runId, agent, ...input, isComplete }));
  }

  async #ask(execution: WorkflowExecutionInfo): Promise<readonly PendingInput[] | undefined> {
    const { taskQueue, workflowId } = execution;
    if (!this.#asksWorkers || !(await this.#isAnswering(taskQueue))) return undefined;
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
