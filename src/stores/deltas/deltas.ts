// The port for model calls in progress: from the workers that make them to the processes that show them.
//
// 1. It is a side channel. Each turn is in the log of its run when the call has ended, so a lost event costs nothing but patience.
// 2. An event may come twice, and late. `turn`, `attempt` and `seq` say what it belongs to.

import { hasMethods } from '../../base';
import type { LiveEvent } from '../../protocol';

/** Carries live events from workers to readers. `ProcessDeltas` and `PostgresDeltas` are implementations. */
export interface Deltas {
  /** Passes an event on. It returns at once and never throws. If it cannot keep up, it drops events. */
  publish(event: LiveEvent): void;
  /**
   * Calls the listener for each event of the run and the runs below it: first those of model calls in progress, as far as they are kept,
   * then each new one. Never in the call of `subscribe` itself. Returns a function that ends it.
   */
  subscribe(root: string, listener: (event: LiveEvent) => void): () => void;
  /** Ends all subscriptions. */
  close(): Promise<void>;
  /** True if others can read what it carries, for instance in a database. A worker with `encryption` refuses it. */
  readonly inClear?: boolean;
  /** A worker that uses it gives its logger, for what the carrier has to say about itself. */
  logTo?(warn: (message: string) => void): void;
}

export function isDeltas(value: unknown): value is Deltas {
  return hasMethods(value, 'publish', 'subscribe', 'close');
}
