import { LRUCache } from 'lru-cache';
import { utf8Length } from '../base/text';
import { limits, timeouts } from '../protocol/limits';
import type { LiveEvent } from '../protocol/live';
import type { Deltas } from './deltas';
import { type Listener, Listeners } from './listeners';
import { type DeltaLiveEvent, isSameAttempt, mergeDeltas, nextSeq } from './merge-deltas';

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
    const subscription = this.#listeners.add(root, listener, this.#calls.of(root));
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
  readonly deltas: DeltaLiveEvent[];
  readonly bytes: number;
};

/** What an event costs besides its text. */
const eventBytes = 400;

/** The newest model call of each run, with all that it said. A call that is too long, or too old, is forgotten as a whole. */
class CallsInProgress {
  readonly #calls = new LRUCache<string, Call>({
    maxSize: limits.callsInProgress,
    maxEntrySize: limits.callInProgress,
    ttl: timeouts.modelStartToClose,
  });

  see(event: LiveEvent): void {
    const call = this.#calls.get(event.workflowId);
    if (event.kind === 'begin') this.#keep({ begin: event, deltas: [], bytes: eventBytes });
    else if (call === undefined) return;
    else if (event.kind === 'delta') {
      if (isSameAttempt(call.begin, event)) this.#add(call, event);
    } else if (event.ended && isSameAttempt(call.begin, event.ended))
      this.#calls.delete(event.workflowId);
  }

  of(root: string): readonly LiveEvent[] {
    const calls = [...this.#calls.values()].filter(({ begin }) => begin.root === root);
    return calls.flatMap(({ begin, deltas }): LiveEvent[] => [begin, ...deltas]);
  }

  clear(): void {
    this.#calls.clear();
  }

  #add(call: Call, event: DeltaLiveEvent): void {
    const { deltas } = call;
    const last = deltas.at(-1);
    if (event.seq !== (last ? nextSeq(last) : 0)) return;
    const merged = last && mergeDeltas(last, event);
    if (merged) deltas[deltas.length - 1] = merged;
    else deltas.push(event);
    const bytes = call.bytes + textBytes(event) + (merged ? 0 : eventBytes);
    // The cache weighs a call anew only if it is another object.
    this.#keep({ ...call, bytes });
  }

  #keep(call: Call): void {
    this.#calls.set(call.begin.workflowId, call, { size: call.bytes });
  }
}

function textBytes({ delta }: DeltaLiveEvent): number {
  return utf8Length(delta.kind === 'tool-call' ? (delta.args ?? '') : delta.text);
}
