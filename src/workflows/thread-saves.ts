// What a thread has to write to its store: turns, and that all of them are forgotten. Tried again until it is done, while the thread
// goes on.
//
// 1. In order, one at a time: a turn is saved after the one before it, and nothing is saved late into what was cleared.
// 2. What is not written is not forgotten: it travels through continue-as-new, and is written there. A turn saved twice is one row.

import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyActivities,
} from '@temporalio/workflow';
import type { LonghaulActivities } from '../protocol/activities';
import { timeouts } from '../protocol/limits';
import type { ClearTurnsInput, UnsavedTurn } from '../protocol/thread';
import { failureReason } from './child-failure';

export type StoreWrite =
  { readonly kind: 'save'; readonly turn: UnsavedTurn } | { readonly kind: 'clear' };

export type StoreTarget = ClearTurnsInput;

/** However long the store is down: attempts leave nothing in history. */
const activities = proxyActivities<Pick<LonghaulActivities, 'saveTurn' | 'clearTurns'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export class ThreadSaves {
  readonly #target: StoreTarget | undefined;
  /** Told what could not be written, and never will be. */
  readonly #onLost: (reason: string) => void;
  #writes: StoreWrite[] = [];
  #isWriting = false;
  #isStopped = false;
  #attempt: CancellationScope | undefined;

  /** Without a target nothing is written. */
  constructor(target: StoreTarget | undefined, onLost: (reason: string) => void) {
    this.#target = target;
    this.#onLost = onLost;
  }

  get unsaved(): readonly StoreWrite[] {
    return this.#writes;
  }

  get isSettled(): boolean {
    return !this.#isWriting;
  }

  add(...writes: readonly StoreWrite[]): void {
    if (this.#target === undefined) return;
    this.#writes.push(...writes);
    void this.#write(this.#target);
  }

  /** What was to be saved is not saved any more; what was saved is forgotten. */
  clear(): void {
    this.#writes = [];
    this.#attempt?.cancel();
    this.add({ kind: 'clear' });
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await condition(() => !this.#isWriting);
  }

  /** What is not written stays so: the next execution goes on with it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempt?.cancel();
    await this.settled();
  }

  async #write(target: StoreTarget): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let write = this.#writes[0]; write !== undefined; write = this.#writes[0]) {
      const isDone = await this.#try(target, write);
      if (this.#isStopped) break;
      if (isDone && this.#writes[0] === write) this.#writes.shift();
    }
    this.#isWriting = false;
  }

  /** The end of the thread does not stop a write that is due. */
  async #try(target: StoreTarget, write: StoreWrite): Promise<boolean> {
    const shield = new CancellationScope({ cancellable: false });
    this.#attempt = new CancellationScope({ cancellable: true, parent: shield });
    try {
      await this.#attempt.run(async () => {
        if (write.kind === 'clear') await activities.clearTurns(target);
        else await activities.saveTurn({ ...target, turn: write.turn });
      });
      return true;
    } catch (error) {
      if (isCancellation(error)) return false;
      const what = write.kind === 'clear' ? 'the store was not cleared' : 'a turn was not saved';
      log.warn(`${what}: ${failureReason(error)}`);
      this.#onLost(`${what}: ${failureReason(error)}`);
      return true;
    }
  }
}
