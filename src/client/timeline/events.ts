// The events of a history, page by page, from either end.
//
// 1. A client may receive 4 MB at once, and one event may hold 2 MB: if a page is too large, smaller pages follow.

import type { Client } from '@temporalio/client';
import { defined, grpcStatus } from '../../base';
import { inTime } from '../server/calls';
import { hasGrpcStatus } from '../server/failures';

/** Events per page, if a page is not too large. */
export const pageSize = 50;

type HistoryPage = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];

export type HistoryEvent = NonNullable<NonNullable<HistoryPage>['events']>[number];

/** Without `runId`, the newest execution. */
export type ExecutionRef = { readonly workflowId: string; readonly runId?: string };

type Page = {
  readonly history?: HistoryPage;
  readonly nextPageToken?: Uint8Array | null;
};

type PageRequest = { readonly maximumPageSize: number; readonly nextPageToken?: Uint8Array };

/** All events, the first one first; at most `most` per page. */
export async function* historyEvents(
  client: Client,
  execution: ExecutionRef,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  yield* eventsOf(
    client,
    (page) => client.workflowService.getWorkflowExecutionHistory({ namespace, execution, ...page }),
    most,
  );
}

/** All events, the last one first; at most `most` per page. The time-skipping server reads only forwards. */
export async function* lastEvents(
  client: Client,
  execution: ExecutionRef,
  most = pageSize,
): AsyncGenerator<HistoryEvent, void, void> {
  const { namespace } = client.options;
  try {
    yield* eventsOf(
      client,
      (page) =>
        client.workflowService.getWorkflowExecutionHistoryReverse({
          namespace,
          execution,
          ...page,
        }),
      most,
    );
  } catch (error) {
    if (!hasGrpcStatus(error, grpcStatus.unimplemented)) throw error;
    const forwards: HistoryEvent[] = [];
    for await (const event of historyEvents(client, execution)) forwards.push(event);
    yield* forwards.reverse();
  }
}

async function* eventsOf(
  client: Client,
  read: (page: PageRequest) => Promise<Page>,
  most: number,
): AsyncGenerator<HistoryEvent, void, void> {
  let maximumPageSize = most;
  let nextPageToken: Uint8Array | undefined;
  do {
    try {
      const request = { maximumPageSize, ...defined({ nextPageToken }) };
      const page = await inTime(client, () => read(request));
      yield* page.history?.events ?? [];
      nextPageToken = page.nextPageToken ?? new Uint8Array();
    } catch (error) {
      if (maximumPageSize === 1 || !mayBeTooLarge(error)) throw error;
      maximumPageSize = Math.ceil(maximumPageSize / 8);
    }
  } while (nextPageToken === undefined || nextPageToken.length > 0);
}

/**
 * A connection that the caller gave retries a page that is too large until its time is up. One that `connect` opened says at once that it
 * is too large.
 */
function mayBeTooLarge(error: unknown): boolean {
  const { resourceExhausted, deadlineExceeded, cancelled } = grpcStatus;
  return hasGrpcStatus(error, resourceExhausted, deadlineExceeded, cancelled);
}
