// Lists executions: the server's list, narrowed by search attributes if the namespace has them, then filtered by memo.
//
// 1. A filter with an unknown name, or with a key that names nobody, is refused: it must not list everybody's runs.
// 2. A workflow id has one row: its current execution, which the server lists before those that a reset left behind.

import type { Client, WorkflowExecutionInfo, WorkflowStartOptions } from '@temporalio/client';
import {
  idPatterns,
  LonghaulError,
  type RunKey,
  type RunMemo,
  searchAttributes,
  timeouts,
} from '../../protocol';
import { isRegistered, readAttributes } from '../../server';
import { grpcStatus, isJsonObject } from '../../base';
import { inTime } from './calls';
import { asLonghaulError, hasGrpcStatus } from './failures';
import { memoOf } from '../read/run-view';
import { typeName } from '../../core/input-parts';
import { keyHashes, keyMembers } from '../../core/key-hashes';
import { typedAttributes } from '../../core/run-start';
import { checkKnown } from '../../core/run-input';

/** How many executions are read before the first one is known, if the server cannot sort them. One answer of the server lists as many. */
const sortedRuns = 1_000;

type StartAttributes = Pick<WorkflowStartOptions, 'typedSearchAttributes'>;

export class SearchIndex {
  readonly client: Client;
  #isThere: Promise<boolean> | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  /** `more`: further conditions on search attributes. The caller checks them itself, because an execution may lack the attributes. */
  async *list(
    query: string,
    whose: Whose,
    more: readonly string[] = [],
  ): AsyncGenerator<WorkflowExecutionInfo, void, void> {
    const conditions = [...more, ...whose.conditions];
    const isNarrowed = conditions.length > 0 && (await this.#hasAttributes());
    const current = `${query} AND ExecutionStatus != 'ContinuedAsNew'`;
    const narrowed = isNarrowed ? `${current} AND ${heldOrUnknown(conditions)}` : current;
    const listed = new Set<string>();
    try {
      for await (const execution of this.client.workflow.list({ query: narrowed })) {
        const { workflowId } = execution;
        if (listed.has(workflowId) || !whose.matches(memoOf(execution))) continue;
        listed.add(workflowId);
        yield execution;
      }
    } catch (error) {
      throw asLonghaulError(error);
    }
  }

  /** The attributes that an execution starts with, so that it need not set them itself. None if the namespace lacks one. */
  async attributes(shown: Parameters<typeof typedAttributes>[0]): Promise<StartAttributes> {
    return (await this.#hasAttributes()) ? { typedSearchAttributes: typedAttributes(shown) } : {};
  }

  /** Asks once, because an attribute stays registered. Asks again if the server could not be reached. */
  async #hasAttributes(): Promise<boolean> {
    this.#isThere ??= this.#ask();
    return await this.#isThere;
  }

  async #ask(): Promise<boolean> {
    try {
      const { connection, options } = this.client;
      const { operatorService } = connection;
      const read = () => readAttributes({ operatorService, namespace: options.namespace });
      const states = await inTime(this.client, read, timeouts.serverCheck / 2);
      return states.every(isRegistered);
    } catch (error) {
      if (hasGrpcStatus(error, grpcStatus.unavailable, grpcStatus.deadlineExceeded)) {
        this.#isThere = undefined;
      }
      return false;
    }
  }
}

/** A run sets all attributes at once. A run without a status has no attributes yet, or started before they were registered. */
function heldOrUnknown(conditions: readonly string[]): string {
  return `(${searchAttributes.status} IS NULL OR (${conditions.join(' AND ')}))`;
}

export type WhoseFilter = {
  /** Only runs of this agent. */
  readonly agent?: string;
  /**
   * Lists only runs and threads with these members in their `key`, such as `{ userId: 'ada' }`, and their child runs and turns. Throws
   * `InvalidInput` if the key has no member or an empty one. Leave it out to list everybody's runs.
   */
  readonly key?: RunKey;
};

export class Whose {
  readonly #agent: string | undefined;
  readonly #key: readonly string[];

  /** `others`: further fields that the filter may have. */
  constructor(filter: WhoseFilter, others: readonly string[] = []) {
    checkKnown(filter, 'the filter', ['agent', 'key', ...others]);
    if ('key' in filter) checkKey(filter.key);
    this.#agent = filter.agent;
    this.#key = keyHashes(filter.key);
  }

  /** Conditions for the server's query. An invalid agent id could break out of its quotes. No run has such an id, so it is left out. */
  get conditions(): readonly string[] {
    const agent = this.#agent;
    return [
      ...(agent !== undefined && idPatterns.agent.test(agent)
        ? [`${searchAttributes.agent} = '${agent}'`]
        : []),
      ...this.#key.map((entry) => `${searchAttributes.key} = '${entry}'`),
    ];
  }

  matches({ agent, key }: RunMemo): boolean {
    const entries: readonly string[] = Array.isArray(key) ? key : [];
    const isOfAgent = this.#agent === undefined || this.#agent === agent;
    return isOfAgent && this.#key.every((entry) => entries.includes(entry));
  }
}

function checkKey(key: unknown): void {
  const hint = "leave it out to list everybody's runs";
  if (!isJsonObject(key) || Object.keys(key).length === 0) {
    throw new LonghaulError(
      'InvalidInput',
      `key must have at least one of ${keyMembers.join(', ')}; ${hint}`,
    );
  }
  checkKnown(key, 'key', keyMembers);
  for (const [name, value] of Object.entries(key)) {
    if (typeof value === 'string' && value !== '') continue;
    const given = value === '' ? 'empty' : typeName(value);
    throw new LonghaulError(
      'InvalidInput',
      `key.${name} must be a text that is not empty, not ${given}; ${hint}`,
    );
  }
}

/** The server's list, in parts to sort or to ask about. */
export async function* windows<Run>(
  runs: AsyncIterable<Run>,
  size = sortedRuns,
): AsyncGenerator<Run[], void, void> {
  let window: Run[] = [];
  for await (const run of runs) {
    window.push(run);
    if (window.length < size) continue;
    yield window;
    window = [];
  }
  yield window;
}
