// Turns on their way to the store of a thread: tried again until they are there, while the thread goes on.
//
// 1. In order: a turn is saved after the one before it.
// 2. Nothing that is not saved is forgotten: what waits travels through continue-as-new, and is saved again there. The row is the same.

import {
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { LonghaulActivities } from '../protocol/activities';
import { timeouts } from '../protocol/limits';
import type { SaveTurnInput, ThreadKey } from '../protocol/thread';

type UnsavedTurn = SaveTurnInput['turn'];

const activities = proxyActivities<Pick<LonghaulActivities, 'saveTurn' | 'clearTurns'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: timeouts.store,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

export class ThreadSaves {
  readonly #target: { readonly store: string; readonly key: ThreadKey } | undefined;
  readonly #scope = new CancellationScope({ cancellable: true });
  #unsaved: UnsavedTurn[] = [];
  #isSaving = false;
  /** Of turns that could not be saved. */
  failures: string[] = [];

  /** Without a store nothing is saved. */
  constructor(target: { store: string; key: ThreadKey } | undefined) {
    this.#target = target;
  }

  get unsaved(): readonly UnsavedTurn[] {
    return this.#unsaved;
  }

  add(...turns: readonly UnsavedTurn[]): void {
    if (this.#target === undefined) return;
    this.#unsaved.push(...turns);
    void this.#save(this.#target);
  }

  /** Resolves when everything is saved, or could not be. */
  async settled(): Promise<void> {
    await condition(() => !this.#isSaving);
  }

  /** What is not saved stays unsaved: the next execution goes on with it. */
  async stop(): Promise<void> {
    this.#scope.cancel();
    await this.settled();
  }

  async clear(): Promise<void> {
    if (this.#target !== undefined) await activities.clearTurns(this.#target);
  }

  async #save(target: { store: string; key: ThreadKey }): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    try {
      for (let turn = this.#unsaved[0]; turn !== undefined; turn = this.#unsaved[0]) {
        await this.#saveOne({ ...target, turn });
        this.#unsaved.shift();
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    } finally {
      this.#isSaving = false;
    }
  }

  async #saveOne(input: SaveTurnInput): Promise<void> {
    try {
      await this.#scope.run(() => activities.saveTurn(input));
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.failures.push(`turn ${input.turn.id} was not saved: ${String(error)}`);
    }
  }
}
