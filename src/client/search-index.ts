// The server's list, narrowed by our search attributes where the namespace has them. Who reads it filters by memo as well.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { timeouts } from '../protocol/limits';
import { searchAttributes } from '../protocol/names';
import { isRegistered, readAttributes } from '../server/search-attributes';
import { grpcStatus } from '../base/grpc-status';
import { asLonghaulError, hasGrpcStatus } from './failures';

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
