import { LRUCache } from 'lru-cache';
import { limits, type LiveEvent, timeouts } from '../../protocol';
import type { Deltas } from './deltas';
import { type Listener, Listeners } from './listeners';
import { addMerged, type DeltaLiveEvent, isSameAttempt, nextSeq } from './merge-deltas';

/**
 * Deltas for workers and readers in one process: tests, small deployments, the CLI.
 *
 * @example
 * const deltas = new ProcessDeltas();
 * const worker = await createWorker({ runners: [agent], deltas });
 */
export class ProcessDeltas implements Deltas {
  readonly #calls = new CallsInProgress();
  readonly #listeners = new Listeners();
  #isClosed = false;

  publish(event: LiveEvent): void {
    if (this.#isClosed) return;
    this.#calls.see(event);
    for (const subscription of this.#listeners.of(event.root)) subscription.send([event]);
  }

  subscribe(root: string, listener: Listener): () => void {
    if (this.#isClosed) return () => undefined;
    const subscription = this.#listeners.add(root, listener, { first: this.#calls.of(root) });
    return () => this.#listeners.remove(root, subscription);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.close();
    this.#calls.clear();
  }
}

type BeginEvent = Extract<LiveEvent, { kind: 'begin' }>;

type Call = {
  readonly begin: BeginEvent;
  /** With `begin`. */
  readonly events: LiveEvent[];
  readonly nextSeq: number;
  readonly bytes: number;
};

/** The newest model call of each run, with all its events. A call that is too long, or too old, is forgotten as a whole. */
class CallsInProgress {
  readonly #calls = new LRUCache<string, Call>({
    maxSize: limits.callsInProgress,
    maxEntrySize: limits.callInProgress,
    ttl: timeouts.modelStartToClose,
  });

  see(event: LiveEvent): void {
    const call = this.#calls.get(event.workflowId);
    if (event.kind === 'begin') this.#begin(event);
    else if (call === undefined) return;
    else if (event.kind === 'delta') {
      if (isSameAttempt(call.begin, event) && event.seq === call.nextSeq) this.#add(call, event);
    } else if (event.ended && isSameAttempt(call.begin, event.ended))
      this.#calls.delete(event.workflowId);
  }

  of(root: string): readonly LiveEvent[] {
    const calls = [...this.#calls.values()].filter(({ begin }) => begin.root === root);
    return calls.flatMap(({ events }) => events);
  }

  clear(): void {
    this.#calls.clear();
  }

  #begin(begin: BeginEvent): void {
    const events: LiveEvent[] = [];
    const bytes = addMerged(events, begin);
    this.#keep({ begin, events, nextSeq: 0, bytes });
  }

  #add(call: Call, event: DeltaLiveEvent): void {
    const bytes = call.bytes + addMerged(call.events, event);
    this.#keep({ ...call, nextSeq: nextSeq(event), bytes });
  }

  /** The cache measures a call again only if it is another object. */
  #keep(call: Call): void {
    this.#calls.set(call.begin.workflowId, call, { size: call.bytes });
  }
}
