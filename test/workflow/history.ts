import type { Longhaul } from '../../src/client';

export type HistoryEvents = Awaited<ReturnType<typeof fetchHistory>>;

/** All events of a run's newest execution, read in small pages: a large history does not fit one answer. */
export async function fetchHistory(longhaul: Longhaul, workflowId: string, maximumPageSize = 100) {
  const { client } = longhaul;
  const events = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId },
      maximumPageSize,
      ...(nextPageToken && { nextPageToken }),
    });
    events.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return events;
}

/** The inputs of all activities of a type, as the text that is in history. */
export function activityInputs(events: HistoryEvents, type?: string): string[] {
  return events.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (!scheduled || (type !== undefined && scheduled.activityType?.name !== type)) return [];
    return (scheduled.input?.payloads ?? []).map((payload) =>
      Buffer.from(payload.data ?? []).toString(),
    );
  });
}

export function activitySummaries(events: HistoryEvents): string[] {
  return events.flatMap((event) => {
    const data = event.activityTaskScheduledEventAttributes && event.userMetadata?.summary?.data;
    return data ? [JSON.parse(Buffer.from(data).toString()) as string] : [];
  });
}
