// Reads a run, and with `tree` the runs below it, for all streams of it in this process.
//
// 1. It works in rounds. A round looks at the runs that may have something new, and then tells what it found.
// 2. While nothing happens, rounds come less often. An event of a worker, or an answer that was sent here, brings the next round at once.
// 3. While no worker or no server answers, it goes on with its rounds. Every other error ends it, and all its streams.

import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Deltas } from '../../stores/index';
import { type LiveEvent, type LonghaulError, type RunState, timeouts } from '../../protocol';
import type { StreamPlace } from '../../core/stream/events';
import { pauseUnlessAborted } from '../server/calls';
import { isPassing } from '../server/failures';
import { hasClosed } from '../read/run-view';
import { Board } from './board';
import { NoAnswer } from './followed-run';
import { FollowedTree, type Found } from './followed-tree';
import { isIdle } from './idle';
import { News } from './news';
import { placeOf } from './root-place';
import type { RunSource } from './run-source';
import type { Followed } from './stream-cursor';

export type ReaderOptions = {
  readonly sourceOf: (workflowId: string) => RunSource;
  readonly deltas: Deltas | undefined;
  readonly tree: boolean;
};

const shortestPauseMs = 50;

/** Two rounds are so far apart, at least. */
const breathMs = 20;

/** A run that works and says nothing for so long is asked whether a worker has it. */
const silenceMs = 2 * timeouts.serverCheck;

export class RunReader implements Followed {
  readonly board = new Board();
  readonly #workflowId: string;
  readonly #options: ReaderOptions;
  readonly #news = new News();
  readonly #over = new AbortController();
  #tree: FollowedTree | undefined;
  #state: RunState | undefined;
  /** Ids of runs that have something new, or will have it in a moment. */
  readonly #due = new Set<string>();
  #woken = new AbortController();
  #pauseMs = shortestPauseMs;
  #allAt = 0;
  #heardAt = Date.now();
  #rounds = 0;
  /** The newest round that found out whether the run is paused. */
  #lookedIn = 0;
  #failure: LonghaulError | undefined;

  constructor(workflowId: string, options: ReaderOptions) {
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

  get nextRound(): number {
    return this.#rounds + 1;
  }

  hasLooked(round: number): boolean {
    return this.#lookedIn >= round;
  }

  /** Resolves when there may be something new. Throws if the reader has failed. */
  async changed(signal: AbortSignal | undefined): Promise<void> {
    if (this.#failure === undefined) await this.#news.next(signal);
    if (this.#failure !== undefined) throw this.#failure;
  }

  reads(workflowId: string): boolean {
    return workflowId === this.#workflowId || this.#tree?.get(workflowId) !== undefined;
  }

  /** Looks at these runs at once. */
  wake(...workflowIds: readonly string[]): void {
    for (const workflowId of workflowIds) this.#due.add(workflowId);
    this.#pauseMs = shortestPauseMs;
    this.#woken.abort();
  }

  stop(reason?: LonghaulError): void {
    this.#failure ??= reason;
    this.#over.abort();
    this.#woken.abort();
    this.#news.tell();
  }

  /** Until the run has ended, or `stop`. Never rejects: streams get the error. */
  async read(): Promise<void> {
    let unsubscribe: (() => void) | undefined;
    try {
      for (;;) {
        await this.#stalling(async () => {
          this.#tree ??= await this.#begin();
          unsubscribe ??= this.#subscribe();
          await this.#round(this.#tree);
        });
        this.#news.tell();
        if (this.board.end !== undefined || this.#over.signal.aborted) return;
        await this.#pause();
      }
    } catch (error) {
      this.stop(error as LonghaulError);
    } finally {
      unsubscribe?.();
    }
  }

  async #begin(): Promise<FollowedTree> {
    const { sourceOf, tree } = this.#options;
    const place = await placeOf(this.#workflowId, sourceOf);
    return new FollowedTree(place, { sourceOf, tree });
  }

  #subscribe(): (() => void) | undefined {
    const { deltas } = this.#options;
    return deltas?.subscribe(this.place.root, (event) => this.#hear(event));
  }

  #hear(event: LiveEvent): void {
    this.#heardAt = Date.now();
    const run = this.#tree?.hear(event);
    if (run === undefined) return;
    this.#news.tell();
    // A call that begins comes after all that the log has then.
    if (event.kind !== 'delta') this.wake(event.workflowId);
  }

  async #round(tree: FollowedTree): Promise<void> {
    this.#rounds += 1;
    const found = await tree.round(this.#dueNow());
    this.#show(found.get(this.#workflowId));
    if (found.size > 0) this.#pauseMs = shortestPauseMs;
    if (found.size > 0) this.#heardAt = Date.now();
    for (const { run, end } of found.values()) {
      this.#due.delete(run.workflowId);
      // The end of a child brings something new to its caller.
      if (end !== undefined && run.caller !== undefined) this.wake(run.caller.workflowId);
    }
    if (this.board.end === undefined) await this.#checkPause(tree, found.size > 0);
    if (this.#isSilent) await this.#requireWorker();
  }

  #show(root: Found | undefined): void {
    if (root === undefined) return;
    this.#state = root.look.state;
    const isClosed = hasClosed(root.look.execution);
    this.board.show(isClosed ? [] : (this.#state?.pending ?? []));
    this.board.end = root.end;
  }

  /** The state says that somebody must answer, but other calls may still run. */
  async #checkPause(tree: FollowedTree, hasNews: boolean): Promise<void> {
    const { pending = [], status, pauseSeq = 0 } = this.#state ?? {};
    if (status !== 'needs-input') return this.board.work();
    const round = this.#rounds;
    if (this.board.paused !== undefined && !hasNews) return void (this.#lookedIn = round);
    const execution = await this.#options.sourceOf(this.#workflowId).describe();
    const isTold = (run: WorkflowExecutionDescription): boolean => {
      const isAt = tree.get(run.workflowId)?.isAt(run) ?? true;
      if (!isAt) this.wake(run.workflowId);
      return isAt;
    };
    if (!isTold(execution)) return;
    const open = new Set(pending.map(({ inputId }) => inputId));
    const areIdle = await isIdle(execution, { ...this.#options, open, isTold });
    if (areIdle === undefined) return;
    if (areIdle) this.board.pause(this.place, pauseSeq);
    else this.board.work();
    this.#lookedIn = round;
  }

  /** While a worker streams a model call, nobody needs to ask. Nor while the run waits for people. */
  get #isSilent(): boolean {
    const { end, paused, stalled } = this.board;
    if (end !== undefined || paused !== undefined) return false;
    return stalled?.reason === 'worker' || Date.now() - this.#heardAt > silenceMs;
  }

  async #requireWorker(): Promise<void> {
    const state = await this.#options.sourceOf(this.#workflowId).state();
    if (state === undefined) throw new NoAnswer();
    this.#heardAt = Date.now();
  }

  /** Does the work. If no worker or no server answers, says so, and the next round tries again. */
  async #stalling(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.board.goOn();
    } catch (error) {
      if (!(error instanceof NoAnswer) && !isPassing(error)) throw error;
      this.board.stall(this.place, error instanceof NoAnswer ? 'worker' : 'server');
    }
  }

  /** Undefined: all runs. In a large tree, those that will have something new come first. */
  #dueNow(): ReadonlySet<string> | undefined {
    const now = Date.now();
    const due = new Set(this.#due);
    if (due.size > 0 && now - this.#allAt < timeouts.eventsPause) return due;
    this.#allAt = now;
    this.#due.clear();
    return undefined;
  }

  async #pause(): Promise<void> {
    await pauseUnlessAborted(breathMs, this.#over.signal);
    await pauseUnlessAborted(this.#pauseMs - breathMs, this.#woken.signal);
    if (!this.#over.signal.aborted) this.#woken = new AbortController();
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, timeouts.eventsPause);
  }
}
