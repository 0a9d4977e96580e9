// What a cleared thread kept in the result store, and how it goes.
//
// 1. Turns from before a clear still get their answers, and name what was said before. So the contents go when the last of them is over.
// 2. What waiting messages name stays. No turn begins for a moment, so that no worker writes what the erasure then deletes.
// 3. It is tried until the store has done it, also by the next execution and by a thread that ends. The store of turns does not wait for it.

import { condition, patched } from '@temporalio/workflow';
import { storedInInput } from '../../core/stored-parts';
import { timeouts } from '../../protocol/limits';
import type { StoreWrite, ThreadSaves } from './thread-saves';
import type { ThreadTurns } from './thread-turns';

/** What survives continue-as-new. */
export type CarriedErasure = { readonly isAsked: boolean; readonly writes: readonly StoreWrite[] };

export class ThreadErasure {
  readonly #turns: ThreadTurns;
  readonly #writes: ThreadSaves;
  #isAsked: boolean;

  constructor(turns: ThreadTurns, writes: ThreadSaves, carried: CarriedErasure | undefined) {
    this.#turns = turns;
    this.#writes = writes;
    this.#isAsked = carried?.isAsked ?? false;
  }

  /** Undefined if there is nothing to erase. */
  carry(): CarriedErasure | undefined {
    const { writes } = this.#writes.carry();
    return this.#isAsked || writes.length > 0 ? { isAsked: this.#isAsked, writes } : undefined;
  }

  /** True while contents of turns that are over are still there. */
  get isDue(): boolean {
    return this.#isReady || this.#writes.isClearing;
  }

  /** A clear came. One that 0.2.0 took erased nothing. */
  ask(): void {
    this.#isAsked = patched('longhaul:erase-contents');
  }

  /** Between two turns. Waits a moment for the store. */
  async begin(): Promise<void> {
    if (!this.#isReady) return;
    this.#write();
    await condition(() => !this.isDue, timeouts.erasing);
  }

  async stop(): Promise<void> {
    await this.#writes.stop();
  }

  /** The thread ends, and with it all its turns. */
  async finish(): Promise<void> {
    if (this.#isAsked) this.#write();
    await this.#writes.finish();
  }

  get #isReady(): boolean {
    return this.#isAsked && !this.#turns.hasCleared;
  }

  #write(): void {
    this.#isAsked = false;
    // The clock of a worker may be ahead of the server's.
    const before = new Date(Date.now() + timeouts.clockSkew).toISOString();
    const waiting = this.#turns.waiting.flatMap(({ input }) => storedInInput(input));
    this.#writes.erase({ before, except: waiting.map(({ digest }) => digest) });
  }
}
