// The port for model calls in progress: from the workers that make them to the processes that show them.
//
// 1. It is a side channel. Each turn is in the log of its run when the call has ended, so a lost event costs nothing but patience.
// 2. An event may come twice, and late. `turn`, `attempt` and `seq` name its place.

import { hasMethods } from '../../base';
import type { LiveEvent } from '../../protocol';

/** Carries live events from workers to readers. `ProcessDeltas` and `PostgresDeltas` are implementations. */
export interface Deltas {
  /** Passes an event on. It returns at once and never throws. If it cannot keep up, it drops events. */
  publish(event: LiveEvent): void;
  /**
   * Calls the listener for each event of the run and the runs below it: first the kept events of model calls in progress, then each new
   * one. It never calls the listener during `subscribe` itself. Returns a function that ends the subscription.
   */
  subscribe(root: string, listener: (event: LiveEvent) => void): () => void;
  /** Ends all subscriptions. */
  close(): Promise<void>;
  /** True if others can read what it carries, for instance in a database. A worker with `encryption` refuses it. */
  readonly inClear?: boolean;
  /** Takes the logger of the worker that uses it, for warnings of the carrier itself. */
  logTo?(warn: (message: string) => void): void;
}

export function isDeltas(value: unknown): value is Deltas {
  return hasMethods(value, 'publish', 'subscribe', 'close');
}
