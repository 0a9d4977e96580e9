// Deletes what a cleared thread kept in the result store.
//
// 1. Turns from before a clear still get their answers, and refer to earlier contents. So the contents are deleted when the last of these
//    turns is over.
// 2. Contents that waiting messages refer to stay. No turn begins during the deletion, so that no worker writes what the erasure then
//    deletes. A message that comes with older contents is refused, and its sender keeps them again.
// 3. The deletion is tried until the store has done it, also by the next execution and by a thread that ends. The store of turns does not
//    wait for it.

import { condition, patched } from '@temporalio/workflow';
import { storedInInput } from '../../core/stored-parts';
import { timeouts } from '../../protocol';
import type { StoreWrite, ThreadSaves } from './thread-saves';
import type { ThreadTurns } from './thread-turns';

/** What survives continue-as-new. */
export type CarriedErasure = {
  readonly isAsked: boolean;
  readonly writes: readonly StoreWrite[];
  /** How many erasures the store was asked for. */
  readonly count?: number;
};

/** A number that grows each time the store begins to delete contents, and when it is done. It is odd while the store deletes. */
export function erasuresOf({ count = 0, writes = [] }: Partial<CarriedErasure> = {}): number {
  return writes.length > 0 ? 2 * count - 1 : 2 * count;
}

export class ThreadErasure {
  readonly #turns: ThreadTurns;
  readonly #writes: ThreadSaves;
  #isAsked: boolean;
  #count: number;

  constructor(turns: ThreadTurns, writes: ThreadSaves, carried: CarriedErasure | undefined) {
    this.#turns = turns;
    this.#writes = writes;
    this.#isAsked = carried?.isAsked ?? false;
    this.#count = carried?.count ?? 0;
  }

  /** Undefined if there was nothing to erase yet. */
  carry(): CarriedErasure | undefined {
    const { writes } = this.#writes.carry();
    const [isAsked, count] = [this.#isAsked, this.#count];
    return isAsked || count > 0 || writes.length > 0 ? { isAsked, writes, count } : undefined;
  }

  /** True while contents of turns that are over are still there. */
  get isDue(): boolean {
    return this.#isReady || this.#writes.isClearing;
  }

  /** Call it after a clear. In an execution of 0.2.0 a clear erases nothing. */
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

  /** Erases at the end of the thread, when all its turns are over. */
  async finish(): Promise<void> {
    if (this.#isAsked) this.#write();
    await this.#writes.finish();
  }

  get #isReady(): boolean {
    return this.#isAsked && !this.#turns.hasCleared;
  }

  #write(): void {
    this.#isAsked = false;
    this.#count += 1;
    // The clock of a worker may be ahead of the server's.
    const before = new Date(Date.now() + timeouts.clockSkew).toISOString();
    const needed = this.#turns.unanswered.flatMap(({ input }) => storedInInput(input));
    this.#writes.erase({ before, except: needed.map(({ digest }) => digest) });
  }
}
