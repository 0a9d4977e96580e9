// Follows a run, and with `tree` the runs below it, for all streams of it in this process.
//
// 1. It works in rounds. A round looks at the runs that may have something new, and then tells what it found.
// 2. While nothing happens, rounds come less often. An event of a worker, or an answer that was sent here, brings the next round at once.
// 3. While no worker or no server answers, it goes on with its rounds. Every other error ends it, and all its streams.

import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Deltas } from '../../stores/index';
import { type LiveEvent, type LonghaulError, type RunState, timeouts } from '../../protocol';
import type { StreamPlace } from '../../core/stream/events';
import { pause } from '../server/calls';
import { isPassing } from '../server/failures';
import { hasClosed } from '../read/run-view';
import { isUnanswered, NoAnswer } from './followed-run';
import { isIdle } from './idle';
import { placeOf } from './root-place';
import { nothingKnown, showInputs, showPause, showStall } from './run-now';
import type { RunSource } from './run-source';
import { type Found, RunTree } from './run-tree';
import type { Followed } from './stream-cursor';

export type FollowerOptions = {
  readonly sourceOf: (workflowId: string) => RunSource;
  readonly deltas: Deltas | undefined;
  readonly tree: boolean;
};

const shortestPauseMs = 50;

/** Two rounds are so far apart, at least. */
const breathMs = 20;

/** A run that works and says nothing for so long is asked whether a worker has it. */
const silenceMs = 2 * timeouts.serverCheck;

export class RunFollower implements Followed {
  readonly now = nothingKnown();
  readonly #workflowId: string;
  readonly #options: FollowerOptions;
  readonly #news = createNews();
  readonly #over = new AbortController();
  readonly #pace = createPace(this.#over.signal);
  #tree: RunTree | undefined;
  #state: RunState | undefined;
  #heardAt = Date.now();
  #failure: LonghaulError | undefined;

  constructor(workflowId: string, options: FollowerOptions) {
    this.#workflowId = workflowId;
    this.#options = options;
  }

  get runs(): Followed['runs'] {
    return this.#tree?.told ?? new Map<string, never>();
  }

  get place(): StreamPlace {
    const workflowId = this.#workflowId;
    const unknown = { root: workflowId, workflowId, path: 'unknown', agent: 'unknown' };
    return this.#tree?.root.place ?? unknown;
  }

  /** Resolves when there may be something new. Throws if it has failed. */
  async changed(signal: AbortSignal | undefined): Promise<void> {
    if (this.#failure === undefined) await this.#news.next(signal);
    if (this.#failure !== undefined) throw this.#failure;
  }

  reads(workflowId: string): boolean {
    return workflowId === this.#workflowId || this.#tree?.get(workflowId) !== undefined;
  }

  /** Looks at this run at once. */
  wake(workflowId: string): void {
    this.#tree?.wake(workflowId);
    this.#pace.hurry();
  }

  stop(reason?: LonghaulError): void {
    this.#failure ??= reason;
    this.#over.abort();
    this.#pace.hurry();
    this.#news.tell();
  }

  /** Until the run has ended, or `stop`. Never rejects: streams get the error. */
  async follow(): Promise<void> {
    let unsubscribe: (() => void) | undefined;
    try {
      for (;;) {
        await this.#stalling(async () => {
          this.#tree ??= await this.#begin();
          unsubscribe ??= this.#options.deltas?.subscribe(this.place.root, this.#hear);
          await this.#round(this.#tree);
        });
        this.#news.tell();
        if (this.now.end !== undefined || this.#over.signal.aborted) return;
        await this.#pace.pause();
      }
    } catch (error) {
      this.stop(error as LonghaulError);
    } finally {
      unsubscribe?.();
    }
  }

  async #begin(): Promise<RunTree> {
    return new RunTree(await placeOf(this.#workflowId, this.#options.sourceOf), this.#options);
  }

  readonly #hear = (event: LiveEvent): void => {
    this.#heardAt = Date.now();
    if (this.#tree?.hear(event) === undefined) return;
    this.#news.tell();
    // A call that begins comes after all that the log has then.
    if (event.kind !== 'delta') this.wake(event.workflowId);
  };

  async #round(tree: RunTree): Promise<void> {
    this.now.round += 1;
    const found = await tree.round();
    this.#show(found.get(this.#workflowId));
    if (found.size > 0) {
      this.#pace.shorten();
      this.#heardAt = Date.now();
    }
    for (const { run, end } of found.values()) {
      // The end of a child brings something new to its caller.
      if (end !== undefined && run.caller !== undefined) this.wake(run.caller.workflowId);
    }
    if (this.now.end !== undefined) return;
    await this.#checkPause(tree, found.size > 0);
    await this.#askIfSilent();
  }

  #show(root: Found | undefined): void {
    if (root === undefined) return;
    this.#state = root.look.state;
    const isClosed = hasClosed(root.look.execution);
    showInputs(this.now, isClosed ? [] : (this.#state?.pending ?? []));
    this.now.end = root.end;
  }

  /** The state says that somebody must answer, but other calls may still run. */
  async #checkPause(tree: RunTree, hasNews: boolean): Promise<void> {
    const { now } = this;
    const { pending = [], status, pauseSeq = 0 } = this.#state ?? {};
    if (status !== 'needs-input') return void (now.paused = undefined);
    if (now.paused !== undefined && !hasNews) return void (now.looked = now.round);
    const execution = await this.#options.sourceOf(this.#workflowId).describe();
    const seen = new Set<string>();
    const isTold = (run: WorkflowExecutionDescription): boolean => {
      seen.add(run.workflowId);
      const isAt = tree.get(run.workflowId)?.isAt(run) ?? true;
      if (!isAt) this.wake(run.workflowId);
      return isAt;
    };
    if (!isTold(execution)) return;
    const open = new Set(pending.map(({ inputId }) => inputId));
    const areIdle = await isIdle(execution, { ...this.#options, open, isTold });
    if (areIdle === undefined) return;
    // They have closed since the last look. Of one that the server has deleted, the next round finds no news.
    const closed = tree.open.filter(({ workflowId }) => !seen.has(workflowId));
    if (areIdle && hasNews && closed.length > 0)
      return closed.forEach(({ workflowId }) => this.wake(workflowId));
    if (areIdle) showPause(now, this.place, pauseSeq);
    else now.paused = undefined;
    now.looked = now.round;
  }

  /** While a worker streams a model call, nobody needs to ask. Nor while the run waits for people. */
  async #askIfSilent(): Promise<void> {
    const { paused, stalled } = this.now;
    const isSilent = stalled?.reason === 'worker' || Date.now() - this.#heardAt > silenceMs;
    if (paused !== undefined || !isSilent) return;
    const state = await this.#options.sourceOf(this.#workflowId).state();
    if (state === undefined) throw new NoAnswer();
    this.#heardAt = Date.now();
  }

  /** Does the work. If no worker or no server answers, says so, and the next round tries again. */
  async #stalling(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.now.stalled = undefined;
    } catch (error) {
      const noWorker = isUnanswered(error);
      if (!noWorker && !isPassing(error)) throw error;
      showStall(this.now, this.place, noWorker ? 'worker' : 'server');
    }
  }
}

type Pace = {
  /** Makes the next pauses short again. */
  shorten(): void;
  /** Ends this pause, too. */
  hurry(): void;
  pause(): Promise<void>;
};

/** Pauses between rounds, each longer than the one before. */
function createPace(over: AbortSignal): Pace {
  let woken = new AbortController();
  let pauseMs = shortestPauseMs;
  const shorten = (): void => void (pauseMs = shortestPauseMs);
  return {
    shorten,
    hurry: () => {
      shorten();
      woken.abort();
    },
    pause: async () => {
      await pause(breathMs, over);
      await pause(pauseMs - breathMs, woken.signal);
      if (!over.aborted) woken = new AbortController();
      pauseMs = Math.min(pauseMs * 1.5, timeouts.eventsPause);
    },
  };
}

type News = {
  /** Tells all who wait that there may be something new. */
  tell(): void;
  /** Resolves with the next news, or when the signal aborts. */
  next(signal?: AbortSignal): Promise<void>;
};

function createNews(): News {
  const waiting = new Set<() => void>();
  return {
    tell: () => {
      for (const resolve of [...waiting]) resolve();
    },
    next: async (signal) => {
      if (signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          waiting.delete(done);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        waiting.add(done);
        signal?.addEventListener('abort', done);
      });
    },
  };
}
