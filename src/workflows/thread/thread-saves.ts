// Writes to the stores of a thread: saves turns, clears all turns, or erases contents. It tries each write until it succeeds, while the
// thread goes on.
//
// 1. One write at a time, in order: each turn waits for the save of the turn before it.
// 2. A thread does not forget an unsaved write. The write travels through continue-as-new, and the next execution or the ending thread
//    writes it. A turn that is saved twice is one row.
// 3. Each write names the store's generation. A clear begins a new one, so a late write of an earlier attempt changes nothing.
// 4. If a thread has more to write than can travel, it waits for the store. It drops nothing to make room.

import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  patched,
  proxyActivities,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import { defined, utf8Length } from '../../base';
import {
  aList,
  type EraseContentsInput,
  limits,
  type LonghaulActivities,
  type Shape,
  stored,
  type StoreInput,
  text,
  timeouts,
  type UnsavedTurn,
} from '../../protocol';
import { failureCode, failureReason } from '../children/child-failure';

type Erasure = Pick<EraseContentsInput, 'before' | 'except'>;

/** `next`: the generation that a clear begins. */
export type StoreWrite =
  | { readonly kind: 'save'; readonly turn: UnsavedTurn }
  | { readonly kind: 'clear'; readonly next: string }
  | ({ readonly kind: 'erase' } & Erasure);

/** Without a store, only contents are erased. */
export type StoreTarget = Pick<StoreInput, 'application' | 'key'> & { readonly store?: string };

/** What survives continue-as-new. */
export const carriedSavesShape = stored({ writes: aList<StoreWrite>(), generation: text });

export type CarriedSaves = Shape<typeof carriedSavesShape>;

/** How often to repeat a write because somebody else cleared the key. */
const mostRenewals = 5;

type SavingActivities = Pick<LonghaulActivities, 'saveTurn' | 'clearTurns' | 'eraseContents'>;

const attempts = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;

/** It is retried for as long as the store is down. Attempts leave nothing in history. */
const activities = proxyActivities<SavingActivities>(attempts);

/** A thread that ends does not wait for ever. */
const lastActivities = proxyActivities<SavingActivities>({
  ...attempts,
  scheduleToCloseTimeout: timeouts.store,
});

export class ThreadSaves {
  readonly #target: StoreTarget | undefined;
  /** Gets the reason when a write is lost for good. */
  readonly #onLost: (reason: string) => void;
  #writes: StoreWrite[] = [];
  #generation: string;
  #bytes = 0;
  #isWriting = false;
  #isStopped = false;
  #isLast = false;
  #attempt: CancellationScope | undefined;

  /** Writes nothing if there is no target. */
  constructor(
    target: StoreTarget | undefined,
    onLost: (reason: string) => void,
    { writes = [], generation = '' }: Partial<CarriedSaves> = {},
  ) {
    this.#target = target;
    this.#onLost = onLost;
    this.#generation = generation;
    writes.forEach((write) => this.#add(write));
  }

  carry(): CarriedSaves {
    return { writes: this.#writes, generation: this.#generation };
  }

  /** The size of all unsaved writes as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if too much waits for the store, so that the thread must take no more. */
  get isBehind(): boolean {
    return this.#bytes > limits.unsavedBytes || this.#writes.length > limits.unsavedTurns;
  }

  get isIdle(): boolean {
    return !this.#isWriting;
  }

  get isClearing(): boolean {
    return this.#writes.some(({ kind }) => kind !== 'save');
  }

  save(turn: UnsavedTurn): void {
    this.#add({ kind: 'save', turn });
  }

  /** Drops the unsaved turns, and clears those in the store. */
  clear(): void {
    this.#writes = [];
    this.#bytes = 0;
    this.#attempt?.cancel();
    this.#add({ kind: 'clear', next: uuid4() });
  }

  /** Deletes contents from the result store. */
  erase(erasure: Erasure): void {
    this.#add({ kind: 'erase', ...erasure });
  }

  /** Stops writing. The next execution goes on with the unsaved writes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempt?.cancel();
    await condition(() => !this.#isWriting);
  }

  /** Writes what is left, even after `stop`. It gives up on a store that stays away for a day or that no worker has any more. */
  async finish(): Promise<void> {
    if (this.#target === undefined || this.#writes.length === 0) return;
    await this.stop();
    this.#isStopped = false;
    this.#isLast = true;
    await this.#write(this.#target);
  }

  #add(write: StoreWrite): void {
    if (this.#target === undefined) return;
    if (this.#target.store === undefined && write.kind !== 'erase') return;
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

  /** The end of the thread does not cancel this write. */
  async #try(target: StoreTarget, write: StoreWrite): Promise<boolean> {
    const shield = new CancellationScope({ cancellable: false });
    const attempt = new CancellationScope({ cancellable: true, parent: shield });
    this.#attempt = attempt;
    try {
      await attempt.run(() => this.#renewing(target, write));
      return true;
    } catch (error) {
      if (isCancellation(error)) return false;
      // A cancelled write whose worker is gone times out. It is still to be made.
      if (attempt.consideredCancelled && patched('longhaul:cancelled-writes-stay')) return false;
      this.#lose(write, error);
      return true;
    }
  }

  /** If somebody else cleared the key, that began another generation. This thread's write is newer, so it goes there. */
  async #renewing(target: StoreTarget, write: StoreWrite): Promise<void> {
    const { saveTurn, clearTurns, eraseContents } = this.#isLast ? lastActivities : activities;
    const { application, key, store = '' } = target;
    if (write.kind === 'erase') {
      const { before, except } = write;
      await eraseContents({ ...defined({ application }), before, except });
      return;
    }
    const place = { ...defined({ application }), store, key };
    for (let attempt = 1; attempt <= mostRenewals; attempt += 1) {
      const to = { ...place, generation: this.#generation, ...(this.#isLast && { isLast: true }) };
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
    // If one write could not reach the store in a day, the others cannot either.
    const lost = this.#isLast && isGone ? this.#writes : [write];
    if (lost === this.#writes) {
      this.#writes = [];
      this.#bytes = 0;
    }
    const what = write.kind === 'save' ? `${turns(lost.length)} not saved` : notDeleted[write.kind];
    log.warn(`${what}: ${failureReason(error)}`);
    this.#onLost(`${what}: ${failureReason(error)}`);
  }
}

const notDeleted = {
  clear: 'the store was not cleared',
  erase: 'the result store was not cleared',
} as const;

function turns(count: number): string {
  return count === 1 ? 'a turn was' : `${count} turns were`;
}
