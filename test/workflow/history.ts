import type { Longhaul, RunHandle } from '../../src/client';
import { eventually } from './eventually';

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

/** Four signals that make a run's history so long that it is due to continue as new. The run refuses them. */
export async function growHistory(longhaul: Longhaul, run: RunHandle): Promise<void> {
  for (let sent = 0; sent < 4; sent += 1) await sendRefused(longhaul, run, 1_000_000);
}

/** Grows a waiting run's history until it continues as new. */
export async function continueAsNew(longhaul: Longhaul, run: RunHandle): Promise<void> {
  const { runId } = await run.state();
  await growHistory(longhaul, run);
  await eventually('the next execution', async () => {
    await sendRefused(longhaul, run, 0);
    return (await run.state()).runId !== runId;
  });
}

/** A signal that a run refuses is history all the same. */
export async function sendRefused(
  { client }: Longhaul,
  { workflowId }: RunHandle,
  bytes: number,
): Promise<void> {
  await client.workflow.getHandle(workflowId).signal('resume', { answer: 'x'.repeat(bytes) });
}
