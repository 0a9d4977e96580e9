// The events of an execution, page by page: a client may receive 4 MB at a time, and one event may hold 2.

import type { Client } from '@temporalio/client';
import { grpcStatus, hasGrpcStatus } from './failures';

type History = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];
export type HistoryEvent = NonNullable<NonNullable<History>['events']>[number];

/** Events a page holds, as long as they fit. */
const pageSize = 50;

export async function* historyEvents(
  client: Client,
  execution: { readonly workflowId: string; readonly runId?: string },
): AsyncGenerator<HistoryEvent, void, void> {
  let maximumPageSize = pageSize;
  let nextPageToken: Uint8Array | undefined;
  do {
    try {
      const page = await client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution,
        maximumPageSize,
        ...(nextPageToken && { nextPageToken }),
      });
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken;
    } catch (error) {
      if (maximumPageSize === 1 || !hasGrpcStatus(error, grpcStatus.resourceExhausted)) throw error;
      maximumPageSize = Math.ceil(maximumPageSize / 8);
    }
  } while (nextPageToken === undefined || nextPageToken.length > 0);
}
