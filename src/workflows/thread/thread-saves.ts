// What a thread has to write to its store: turns, and that all of them are forgotten. Tried again until it is done, while the thread
// goes on.
//
// 1. In order, one at a time: a turn is saved after the one before it.
// 2. What is not written is not forgotten: it travels through continue-as-new, and is written there, or by a thread that ends. A turn saved
//    twice is one row.
// 3. Each write names the store's generation. A clear begins another one: what an attempt before it writes late changes nothing.
// 4. Who has more to write than travels waits for the store: nothing is dropped to make room.

import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyActivities,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import { utf8Length } from '../../base/text';
import type { LonghaulActivities } from '../../protocol/activities';
import { limits, timeouts } from '../../protocol/limits';
import type { StoreInput, UnsavedTurn } from '../../protocol/thread';
import { failureCode, failureReason } from '../children/child-failure';

/** `next`: the generation that a clear begins. */
export type StoreWrite =
  | { readonly kind: 'save'; readonly turn: UnsavedTurn }
  | { readonly kind: 'clear'; readonly next: string };

export type StoreTarget = Pick<StoreInput, 'application' | 'store' | 'key'>;

/** What survives continue-as-new. */
export type CarriedSaves = {
  readonly writes: readonly StoreWrite[];
  readonly generation: string;
};

/** How often a write is made again because somebody else cleared the key. */
const mostRenewals = 5;

type SavingActivities = Pick<LonghaulActivities, 'saveTurn' | 'clearTurns'>;

const attempts = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;

/** However long the store is down: attempts leave nothing in history. */
const activities = proxyActivities<SavingActivities>(attempts);

/** A thread that ends does not wait for ever. */
const lastActivities = proxyActivities<SavingActivities>({
  ...attempts,
  scheduleToCloseTimeout: timeouts.store,
});

export class ThreadSaves {
  readonly #target: StoreTarget | undefined;
  /** Told what could not be written, and never will be. */
  readonly #onLost: (reason: string) => void;
  #writes: StoreWrite[] = [];
  #generation: string;
  #bytes = 0;
  #isWriting = false;
  #isStopped = false;
  #isLast = false;
  #attempt: CancellationScope | undefined;

  /** Without a target nothing is written. */
  constructor(
    target: StoreTarget | undefined,
    onLost: (reason: string) => void,
    { writes, generation }: CarriedSaves = { writes: [], generation: '' },
  ) {
    this.#target = target;
    this.#onLost = onLost;
    this.#generation = generation;
    writes.forEach((write) => this.#add(write));
  }

  carry(): CarriedSaves {
    return { writes: this.#writes, generation: this.#generation };
  }

  /** Of all that is not written, as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So much waits for the store that nothing more may come. */
  get isBehind(): boolean {
    return this.#bytes > limits.unsavedBytes || this.#writes.length > limits.unsavedTurns;
  }

  get isIdle(): boolean {
    return !this.#isWriting;
  }

  get isClearing(): boolean {
    return this.#writes.some(({ kind }) => kind === 'clear');
  }

  save(turn: UnsavedTurn): void {
    this.#add({ kind: 'save', turn });
  }

  /** What was to be saved is not saved any more; what was saved is forgotten. */
  clear(): void {
    this.#writes = [];
    this.#bytes = 0;
    this.#attempt?.cancel();
    this.#add({ kind: 'clear', next: uuid4() });
  }

  /** What is not written stays so: the next execution goes on with it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempt?.cancel();
    await condition(() => !this.#isWriting);
  }

  /** Writes what is left, also after `stop`. A store that stays away for a day, or that no worker has any more, is given up. */
  async finish(): Promise<void> {
    if (this.#target === undefined || this.#writes.length === 0) return;
    await this.stop();
    this.#isStopped = false;
    this.#isLast = true;
    await this.#write(this.#target);
  }

  #add(write: StoreWrite): void {
    if (this.#target === undefined) return;
    this.#writes.push(write);
    this.#bytes += utf8Length(JSON.stringify(write));
    void this.#write(this.#target);
  }

  async #write(target: StoreTarget): Promise<void> {
    if (this.#isWriting || this.#isStopped) return;
    this.#isWriting = true;
    for (let write = this.#writes[0]; write !== undefined; write = this.#writes[0]) {
      const isDone = await this.#try(target, write);
      if (isDone && this.#writes[0] === write) {
        this.#writes.shift();
        this.#bytes -= utf8Length(JSON.stringify(write));
      }
      if (this.#isStopped) break;
    }
    this.#isWriting = false;
  }

  /** The end of the thread does not stop a write that is due. */
  async #try(target: StoreTarget, write: StoreWrite): Promise<boolean> {
    const shield = new CancellationScope({ cancellable: false });
    this.#attempt = new CancellationScope({ cancellable: true, parent: shield });
    try {
      await this.#attempt.run(() => this.#renewing(target, write));
      return true;
    } catch (error) {
      if (isCancellation(error)) return false;
      this.#lose(write, error);
      return true;
    }
  }

  /** Somebody else who cleared the key began a generation of their own: what this thread has to write is newer, and goes there. */
  async #renewing(target: StoreTarget, write: StoreWrite): Promise<void> {
    const { saveTurn, clearTurns } = this.#isLast ? lastActivities : activities;
    for (let attempt = 1; attempt <= mostRenewals; attempt += 1) {
      const to = { ...target, generation: this.#generation, ...(this.#isLast && { isLast: true }) };
      const { generation } =
        write.kind === 'clear'
          ? await clearTurns({ ...to, next: write.next })
          : await saveTurn({ ...to, turn: write.turn });
      const wanted = write.kind === 'clear' ? write.next : to.generation;
      this.#generation = generation;
      if (generation === wanted) return;
    }
    throw new Error('somebody else clears the store over and over');
  }

  #lose(write: StoreWrite, error: unknown): void {
    const isGone =
      error instanceof ActivityFailure &&
      (error.cause instanceof TimeoutFailure || failureCode(error) === 'NotRegisteredHere');
    // What one write could not reach in a day the others cannot, either.
    const lost = this.#isLast && isGone ? this.#writes : [write];
    if (lost === this.#writes) {
      this.#writes = [];
      this.#bytes = 0;
    }
    const what =
      write.kind === 'clear' ? 'the store was not cleared' : `${turns(lost.length)} not saved`;
    log.warn(`${what}: ${failureReason(error)}`);
    this.#onLost(`${what}: ${failureReason(error)}`);
  }
}

function turns(count: number): string {
  return count === 1 ? 'a turn was' : `${count} turns were`;
}
