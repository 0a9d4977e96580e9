import { limits, type LiveEvent } from '../../../protocol';
import { addMerged } from '../merge-deltas';

type Unsent = { readonly events: LiveEvent[]; bytes: number };

/** The runs of one batch. Their keys are one notification, which has less than 8,000 bytes. */
const batchRuns = 150;
const batchBytes = 4 * limits.callInProgress;

/**
 * The events that wait for the database, merged. Events that do not fit are left out: the readers see a gap, and the log brings the whole
 * turn.
 */
export class Outbox {
  readonly #runs = new Map<string, Unsent>();
  #bytes = 0;

  add(event: LiveEvent): void {
    const { workflowId } = event;
    if (event.kind === 'begin') this.#forgetCall(workflowId);
    const unsent = this.#runs.get(workflowId) ?? { events: [], bytes: 0 };
    // One is enough to make readers look.
    const last = unsent.events.at(-1);
    if (event.kind === 'moved' && last?.kind === 'moved') {
      if (event.ended) unsent.events[unsent.events.length - 1] = event;
      return;
    }
    const isFull = unsent.bytes >= limits.callInProgress || this.#bytes >= limits.callsInProgress;
    if (isFull && event.kind !== 'moved') return;
    const bytes = addMerged(unsent.events, event);
    unsent.bytes += bytes;
    this.#bytes += bytes;
    this.#runs.set(workflowId, unsent);
  }

  /** Takes the events of some runs, the oldest first. Empty if none wait. */
  take(): readonly (readonly LiveEvent[])[] {
    const batch: (readonly LiveEvent[])[] = [];
    let bytes = 0;
    for (const [workflowId, unsent] of this.#runs) {
      if (batch.length === batchRuns || bytes >= batchBytes) break;
      this.#runs.delete(workflowId);
      batch.push(unsent.events);
      bytes += unsent.bytes;
    }
    this.#bytes -= bytes;
    return batch;
  }

  /** A new attempt voids the events of earlier ones. */
  #forgetCall(workflowId: string): void {
    const unsent = this.#runs.get(workflowId);
    if (unsent === undefined) return;
    this.#runs.delete(workflowId);
    this.#bytes -= unsent.bytes;
    const moved = unsent.events.findLast(({ kind }) => kind === 'moved');
    if (moved !== undefined) this.add(moved);
  }
}
