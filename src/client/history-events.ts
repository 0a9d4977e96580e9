// The events of an execution, page by page: a client may receive 4 MB at a time, and one event may hold 2.

import type { Client } from '@temporalio/client';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus } from './failures';

type History = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];
export type HistoryEvent = NonNullable<NonNullable<History>['events']>[number];

/** Events a page holds, as long as they fit. */
const pageSize = 50;

type Execution = { readonly workflowId: string; readonly runId?: string };
type Page = {
  readonly history?: History;
  readonly nextPageToken?: Uint8Array | null;
};
type PageRequest = { readonly maximumPageSize: number; readonly nextPageToken?: Uint8Array };

/** From the first on. */
export async function* historyEvents(
  client: Client,
  execution: Execution,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf((page) =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, ...page }),
  );
}

/** From the last back; `most` of them at a time. */
export async function* lastEvents(
  client: Client,
  execution: Execution,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf(
    (page) =>
      client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, ...page }),
    most,
  );
}

async function* eventsOf(
  read: (page: PageRequest) => Promise<Page>,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  let maximumPageSize = most;
  let nextPageToken: Uint8Array | undefined;
  do {
    try {
      const page = await read({ maximumPageSize, ...(nextPageToken && { nextPageToken }) });
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken ?? new Uint8Array();
    } catch (error) {
      if (maximumPageSize === 1 || !hasGrpcStatus(error, grpcStatus.resourceExhausted)) throw error;
      maximumPageSize = Math.ceil(maximumPageSize / 8);
    }
  } while (nextPageToken === undefined || nextPageToken.length > 0);
}
