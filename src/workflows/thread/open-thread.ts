// A thread that knows its settings, its stores and the turns before it: runs one turn after another, clears, and continues as new.
//
// 1. The thread continues as new only between turns, and never fails for its size. If more waits than can travel, it takes no more
//    messages. It first answers or saves what waits.
// 2. A clear keeps the message ids for at least some minutes, so that a message that is sent twice gets no second answer.

import { condition } from '@temporalio/workflow';
import { defined, type JsonObject } from '../../base';
import { limits, LonghaulError, timeouts } from '../../protocol';
import { toWorkflowFailure } from '../durable';
import { carryRequests } from '../lifecycle/requests';
import { continueAsNew } from '../log/history-watch';
import { type CarriedThread, packThread } from './carried-thread';
import { ThreadStores } from './thread-stores';
import { type ThreadParts, type ThreadSettings, TurnRuns } from './turn-runs';

/** From the execution before, or of a thread that opens. */
type Carried = Pick<
  CarriedThread,
  'saves' | 'erasure' | 'hasTenantInKey' | 'isClearing' | 'lastClear'
>;

export class OpenThread {
  readonly settings: ThreadSettings;
  readonly stores: ThreadStores;
  readonly runs: TurnRuns;
  readonly #parts: ThreadParts;
  #isClearing: boolean;
  /** The update id of the last `clear`. */
  #lastClear: string | undefined;

  constructor(
    parts: Omit<ThreadParts, 'settings' | 'stores'>,
    settings: ThreadSettings,
    carried: Carried,
  ) {
    this.settings = settings;
    this.#isClearing = carried.isClearing;
    this.#lastClear = carried.lastClear;
    const { input, turns, execution } = parts;
    const onLost = (message: string): void => execution.phase.refuse('save', 'StoreError', message);
    const store = settings.memory?.store;
    this.stores = new ThreadStores({ input, turns, store, onLost }, carried);
    this.#parts = { ...parts, settings, stores: this.stores };
    this.runs = new TurnRuns(this.#parts);
  }

  get session(): JsonObject {
    return this.#isClearing ? this.firstSession : this.#parts.memory.session;
  }

  /** The session of a thread without messages. */
  get firstSession(): JsonObject {
    return this.#parts.input.session ?? {};
  }

  /** Does the next thing. Returns false when the thread is over. */
  async goOn(): Promise<boolean> {
    const { execution, memory, stores, turns } = this.#parts;
    const { history } = execution;
    if (this.#isClearing) {
      this.#isClearing = false;
      memory.forget(this.firstSession);
      history.stepped();
    }
    await stores.erasure.begin();
    await condition(() => !stores.saves.isBehind || this.#isClearing);
    if (this.#isClearing) return true;
    // What suggests to move may be of an update that a replay tells later.
    if (execution.phase.arriving > 0) {
      await condition(() => execution.phase.arriving === 0);
      return true;
    }
    if (this.isPortable && (history.isDue || history.isOutdated)) await this.#continueAsNew();
    const turn = turns.next();
    if (turn !== undefined) {
      await this.runs.run(turn);
      history.stepped();
      return true;
    }
    const idleMs = this.#idleMs;
    if (idleMs === undefined) {
      await condition(() => this.#isBusy);
      return true;
    }
    if (await condition(() => this.#isBusy, idleMs)) return true;
    await condition(() => this.#isBusy || stores.saves.isIdle);
    return this.#isBusy;
  }

  /**
   * How long the thread stays open with nothing to do. It is shorter after a clear without a new message, because the thread then holds
   * only message ids.
   */
  get #idleMs(): number | undefined {
    const { input, turns } = this.#parts;
    const { idleTimeoutMs } = input;
    const isEmpty = this.#lastClear !== undefined && turns.isBlank;
    return isEmpty ? Math.min(idleTimeoutMs ?? Infinity, timeouts.cleared) : idleTimeoutMs;
  }

  get #isBusy(): boolean {
    return this.#parts.turns.hasNext || this.#isClearing;
  }

  /** True if the waiting and the unsaved turns can travel. */
  get isPortable(): boolean {
    return this.#parts.turns.queuedBytes + this.stores.saves.bytes <= limits.queuedBytes;
  }

  /** Resolves when the thread and its store have forgotten the conversation. The same update id again is the same clear. */
  async clear(updateId: string | undefined): Promise<void> {
    const { turns, execution } = this.#parts;
    const { phase } = execution;
    phase.updates += 1;
    if (updateId === undefined || updateId !== this.#lastClear) {
      this.#lastClear = updateId ?? '';
      this.#isClearing = true;
      turns.clear();
      this.stores.clear();
    }
    const isDone = (): boolean => !this.stores.isClearing;
    if (isDone()) return;
    await condition(() => isDone() || phase.isMoving, timeouts.clearing);
    if (isDone()) return;
    throw toWorkflowFailure(phase.isMoving ? closing('moving') : notCleared());
  }

  async #continueAsNew(): Promise<void> {
    const { input, execution, turns, memory, budget, settings, stores } = this.#parts;
    execution.phase.isMoving = true;
    await stores.stop();
    await execution.settled();
    const left = memory.shorten();
    if (left > 0) {
      const message = `the oldest ${left} turns were left behind: the conversation is longer than a thread remembers`;
      execution.phase.refuse('memory', 'TranscriptTooLarge', message);
    }
    const { hooks = [], searchAttributes, memory: spec, context } = settings;
    const thread = {
      requests: carryRequests(execution),
      turns: turns.carry(),
      session: memory.session,
      budget: budget.carry(),
      ...defined({ memory: spec, context }),
      searchAttributes,
      ...(hooks.length > 0 && { hooks }),
      ...stores.carry(),
      isClearing: this.#isClearing,
      ...defined({ lastClear: this.#lastClear }),
    };
    await continueAsNew(input, packThread(input, thread, memory.log));
  }
}

/** The sender must send the message again. The next execution takes it. */
export function closing(what: 'moving' | 'ending' | 'forgetting'): LonghaulError {
  return new LonghaulError('RunClosed', `the thread is just ${what}: send it again`, {
    retryable: true,
  });
}

/** The sender of a clear does not wait for a store for ever. The thread does. */
function notCleared(): LonghaulError {
  const message =
    'the thread has forgotten what was said. Its store does not answer: it is cleared as soon as it does';
  return new LonghaulError('StoreError', message, { retryable: true });
}
