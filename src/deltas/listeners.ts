import type { LiveEvent } from '../protocol/live';

export type Listener = (event: LiveEvent) => void;

/** Calls listeners in order, but never before its own methods have returned. A listener that throws harms nobody. */
export class Listeners {
  readonly #roots = new Map<string, Set<Subscription>>();

  /** The listener gets `first` before anything else. */
  add(root: string, listener: Listener, first: readonly LiveEvent[] = []): Subscription {
    const subscription = new Subscription(listener);
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
  #waiting: LiveEvent[] = [];
  #isClosed = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  send(events: readonly LiveEvent[]): void {
    if (events.length === 0) return;
    if (this.#waiting.length === 0) queueMicrotask(() => this.#deliver());
    for (const event of events) this.#waiting.push(event);
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
        // The listener's own affair: the next event may suit it.
      }
    }
  }
}
