import type { LiveEvent } from '../../protocol';
import { addMerged } from './merge-deltas';

export type Listener = (event: LiveEvent) => void;

type SubscriptionOptions = {
  readonly first?: readonly LiveEvent[];
  readonly isNew?: (event: LiveEvent) => boolean;
};

/** Calls listeners in order, but never before its own methods have returned. A listener that throws harms nobody. */
export class Listeners {
  readonly #roots = new Map<string, Set<Subscription>>();

  /** The listener gets `first` before anything else, and then only events that `isNew`. */
  add(
    root: string,
    listener: Listener,
    { first = [], isNew = () => true }: SubscriptionOptions = {},
  ): Subscription {
    const subscription = new Subscription(listener, isNew);
    const ofRoot = this.#roots.get(root) ?? new Set();
    this.#roots.set(root, ofRoot.add(subscription));
    subscription.send(first);
    return subscription;
  }

  remove(root: string, subscription: Subscription): void {
    subscription.close();
    const ofRoot = this.#roots.get(root);
    ofRoot?.delete(subscription);
    if (ofRoot?.size === 0) this.#roots.delete(root);
  }

  get isEmpty(): boolean {
    return this.#roots.size === 0;
  }

  has(root: string): boolean {
    return this.#roots.has(root);
  }

  /** The roots that somebody listens to. */
  roots(): Iterable<string> {
    return this.#roots.keys();
  }

  /** The subscriptions of a root. */
  of(root: string): Iterable<Subscription> {
    return this.#roots.get(root) ?? [];
  }

  close(): void {
    for (const ofRoot of this.#roots.values())
      for (const subscription of ofRoot) subscription.close();
    this.#roots.clear();
  }
}

export class Subscription {
  readonly #listener: Listener;
  readonly #isNew: (event: LiveEvent) => boolean;
  #waiting: LiveEvent[] = [];
  #isClosed = false;

  constructor(listener: Listener, isNew: (event: LiveEvent) => boolean) {
    this.#listener = listener;
    this.#isNew = isNew;
  }

  /** Drops events that are not new before it merges the others. */
  send(events: readonly LiveEvent[]): void {
    const fresh = events.filter((event) => this.#isNew(event));
    if (fresh.length === 0) return;
    if (this.#waiting.length === 0) queueMicrotask(() => this.#deliver());
    for (const event of fresh) addMerged(this.#waiting, event);
  }

  close(): void {
    this.#isClosed = true;
  }

  #deliver(): void {
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) {
      if (this.#isClosed) return;
      try {
        this.#listener(event);
      } catch {
        // A failure of a listener does not end its subscription.
      }
    }
  }
}
