import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { idPatterns, searchAttributes } from '../protocol/names';
import { isRegistered, readAttributes } from '../server/search-attributes';
import { grpcStatus } from '../base/grpc-status';
import { asLonghaulError, hasGrpcStatus } from './failures';
import { typeName } from '../core/input-parts';
import { keyHashes, keyMembers } from '../core/key-hashes';
import { checkKnown } from '../core/run-input';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import type { RunKey, RunMemo } from '../protocol/run';

// The server's list, narrowed by our search attributes where the namespace has them. Who reads it filters by memo as well.

export class SearchIndex {
  readonly client: Client;
  #isThere: Promise<boolean> | undefined;

  constructor(client: Client) {
    this.client = client;
  }

  /** `conditions`: of search attributes, all of which must hold. */
  async *list(
    query: string,
    conditions: readonly string[],
  ): AsyncGenerator<WorkflowExecutionInfo, void, void> {
    const isNarrowed = conditions.length > 0 && (await this.#hasAttributes());
    const narrowed = isNarrowed ? `${query} AND ${heldOrUnknown(conditions)}` : query;
    try {
      yield* this.client.workflow.list({ query: narrowed });
    } catch (error) {
      throw asLonghaulError(error);
    }
  }

  /** A registered attribute stays: asked once. A server that does not say counts as without, and one out of reach is asked again. */
  async #hasAttributes(): Promise<boolean> {
    this.#isThere ??= this.#ask();
    return await this.#isThere;
  }

  async #ask(): Promise<boolean> {
    try {
      const { connection, options } = this.client;
      const { operatorService } = connection;
      const states = await this.client.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
        readAttributes({ operatorService, namespace: options.namespace }),
      );
      return states.every(isRegistered);
    } catch (error) {
      if (hasGrpcStatus(error, grpcStatus.unavailable, grpcStatus.deadlineExceeded)) {
        this.#isThere = undefined;
      }
      return false;
    }
  }
}

/** A run sets all of them at once, so that one without a status has none: it started before they were there, or just now. */
function heldOrUnknown(conditions: readonly string[]): string {
  return `(${searchAttributes.status} IS NULL OR (${conditions.join(' AND ')}))`;
}

// Which runs a list is about: of an agent, and of the user or application whose key they were started with.
//
// 1. A filter that is misspelt, or names nobody, is refused: it must not list what is everybody's.

export type WhoseFilter = {
  /** Only runs of this agent. */
  readonly agent?: string;
  /**
   * Only runs that were started with a `key` of which these members are the same, what they called, and such threads with their turns:
   * `{ userId: 'ada' }`. At least one member, none of them empty; throws `InvalidInput`. Leave it out to list everybody's.
   */
  readonly key?: RunKey;
};

export class Whose {
  readonly #agent: string | undefined;
  readonly #key: readonly string[];

  /** `others`: what the filter may have beside these. */
  constructor(filter: WhoseFilter, others: readonly string[] = []) {
    checkKnown(filter, 'the filter', ['agent', 'key', ...others]);
    if ('key' in filter) checkKey(filter.key);
    this.#agent = filter.agent;
    this.#key = keyHashes(filter.key);
  }

  /** For the server's list. An agent's id that is none could end the text it stands in, and no run has it. */
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
  const hint = 'leave it out to list the runs of everybody';
  if (!isJsonObject(key) || Object.keys(key).length === 0) {
    throw new LonghaulError(
      'InvalidInput',
      `key must name at least one of ${keyMembers.join(', ')}; ${hint}`,
    );
  }
  checkKnown(key, 'key', keyMembers);
  for (const [name, value] of Object.entries(key)) {
    if (typeof value === 'string' && value !== '') continue;
    const said = value === '' ? 'empty' : typeName(value);
    throw new LonghaulError(
      'InvalidInput',
      `key.${name} must be a text that is not empty, not ${said}; ${hint}`,
    );
  }
}
