// Finds runs that make no progress though nothing disturbs them, and tells where they stand.

import type { Longhaul } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';

/** Attempts are up to a minute apart, and a call whose worker is gone is given up after so long. */
const patienceMs = 150_000;
const lookMs = 1_000;
const eventsShown = 12;

export type ProgressOptions = {
  readonly isDisturbed: () => boolean;
  /** The share of its time that a process gets now. */
  readonly share: () => number;
};

export class Progress {
  /** Milliseconds without progress. */
  readonly #waited = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #options: ProgressOptions;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** What its workers do for the first time is progress; the same again is none. */
  see(owner: string, what: string): void {
    const key = `${owner}/${what}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#waited.set(owner, 0);
  }

  /** It goes back: what it did before is progress again. */
  forget(owner: string): void {
    for (const key of this.#seen) if (key.startsWith(`${owner}/`)) this.#seen.delete(key);
    this.#waited.set(owner, 0);
  }

  /** `onStuck` is called once, unless the work ends before. */
  watch(owner: string, onStuck: () => void): () => void {
    this.#waited.set(owner, 0);
    const timer = setInterval(() => {
      const waited = (this.#waited.get(owner) ?? 0) + lookMs * this.#options.share();
      this.#waited.set(owner, this.#options.isDisturbed() ? 0 : waited);
      if ((this.#waited.get(owner) ?? 0) < patienceMs) return;
      clearInterval(timer);
      onStuck();
    }, lookMs);
    return () => clearInterval(timer);
  }
}

/** Its last events and what it waits for, of the run and of all below it. */
export async function whereIs(longhaul: Longhaul, owner: string): Promise<string> {
  const lines: string[] = [];
  for (const { workflowId, runId } of await openOf(longhaul, owner)) {
    const { raw } = await longhaul.client.workflow.getHandle(workflowId, runId).describe();
    const { pendingActivities, pendingWorkflowTask } = raw;
    const pending = (pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name} attempt ${attempt} ${lastFailure?.message ?? ''}`,
    );
    const { events } = await fetchHistory(longhaul, workflowId, { runId });
    const last = (events ?? []).slice(-eventsShown).map((event) => {
      const attributes = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
      return `${String(event.eventId)} ${attributes?.replace('EventAttributes', '')}`;
    });
    lines.push(
      `  ${workflowId}: pending activities: ${pending.join('; ') || 'none'}`,
      `    pending task: attempt ${pendingWorkflowTask?.attempt ?? 0}; last events: ${last.join(', ')}`,
    );
  }
  return lines.join('\n') || '  nothing of it is open';
}

export async function terminateAll(longhaul: Longhaul, owner: string): Promise<void> {
  for (const { workflowId, runId } of await openOf(longhaul, owner))
    await longhaul.client.workflow.getHandle(workflowId, runId).terminate('stuck');
}

export type Open = {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
};

export async function openOf({ client }: Longhaul, owner: string): Promise<readonly Open[]> {
  const found: Open[] = [];
  const query = "ExecutionStatus = 'Running'";
  for await (const execution of client.workflow.list({ query }))
    if (new RegExp(`(^|/)${owner}\\b`).test(execution.workflowId)) found.push(execution);
  return found;
}
