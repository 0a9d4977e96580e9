// One stream: a place among the events of each run, and what it told of the root as it is now. It keeps no events, so a slow reader costs
// nothing: deltas that it has not read yet are one event when it comes back.
//
// With `log`, it also tells the entries of the root's log. Those that an event completes come after it; those that have no event of their
// own come before what follows them.

import { LonghaulError } from '../../protocol';
import type { StreamEvent, StreamPlace } from '../../core/stream/events';
import type { RunEvent } from '../read/run-view';
import { type BufferPlace, isPiece } from './event-buffer';
import { type FollowedRun, wasReset } from './followed-run';
import { encodePosition, type LogPlace, placeIn, type Places } from './position';
import { nothingTold, type RunNow, tellNow } from './run-now';

/** What a stream reads. */
export interface Followed {
  /** Of the run that was opened. */
  readonly place: StreamPlace;
  readonly now: RunNow;
  /** In the order in which they were found. */
  readonly runs: ReadonlyMap<string, FollowedRun>;
}

export type CursorOptions = {
  readonly places: Places;
  /** The index of the first entry to tell. */
  readonly log?: number | undefined;
};

export type Told = StreamEvent | RunEvent;

export class StreamCursor {
  readonly #followed: Followed;
  readonly #told = nothingTold();
  /** The round of looking that ended before it began. */
  readonly #since: number;
  readonly #places: Map<string, LogPlace>;
  readonly #entered = new Set<FollowedRun>();
  /** Its places in the runs that it has not read to their end. */
  readonly #open = new Map<FollowedRun, BufferPlace>();
  #nextEntry: number;
  /** What comes before all else. */
  #ahead: Told[] = [];
  #position: string | undefined;

  constructor(followed: Followed, { places, log = Infinity }: CursorOptions) {
    this.#followed = followed;
    this.#since = followed.now.round;
    this.#places = new Map(places);
    this.#nextEntry = log;
  }

  get hasEnded(): boolean {
    return this.#told.hasEnded;
  }

  /** Undefined if there is nothing new. Throws `StreamCut` if the stream cannot go on from its position. */
  next(): Told | undefined {
    if (this.#ahead.length === 0) this.#ahead = this.#nextOfRuns() ?? this.#entriesTo(Infinity);
    return this.#ahead.shift() ?? this.#nextOfNow();
  }

  close(): void {
    for (const [run, place] of this.#open) this.#leave(run, place);
  }

  /** Another process may have ended a pause that is still known. A stream that begins there would end at it, and miss the rest. */
  #nextOfNow(): StreamEvent | undefined {
    const { place, now } = this.#followed;
    const knowsPause = now.looked > this.#since;
    const event = tellNow(now, this.#told, { place, knowsPause });
    return event && { ...event, position: this.#encoded };
  }

  #nextOfRuns(): Told[] | undefined {
    const first = this.#first();
    const buffered = first?.run.events.next(first.place);
    if (first === undefined || buffered === undefined) return undefined;
    const { told, ...event } = buffered;
    this.#advance(first.run, told);
    const placed = { ...event, position: this.#encoded };
    const entries = first.run.workflowId === this.#root ? this.#entriesTo(told) : [];
    return isPiece(event) ? [...entries, placed] : [placed, ...entries];
  }

  #entriesTo(end: number): RunEvent[] {
    const entries = this.#followed.runs.get(this.#root)?.log.slice(this.#nextEntry, end) ?? [];
    const from = this.#nextEntry;
    this.#nextEntry += entries.length;
    return entries.map((entry, index) => ({ index: from + index, entry }));
  }

  #advance(run: FollowedRun, told: number): void {
    const { workflowId } = run;
    if (told === 0 || told === this.#places.get(workflowId)?.index) return;
    this.#places.delete(workflowId);
    this.#places.set(workflowId, placeIn(run.log, told));
    this.#position = undefined;
  }

  /** The run whose next event is the oldest one. */
  #first(): { readonly run: FollowedRun; readonly place: BufferPlace } | undefined {
    this.#enterNew();
    let first: { readonly run: FollowedRun; readonly place: BufferPlace } | undefined;
    let oldest = Infinity;
    for (const [run, place] of this.#open) {
      const order = run.events.orderAt(place);
      if (order === undefined && run.hasEnded) this.#leave(run, place);
      if (order === undefined || order >= oldest) continue;
      oldest = order;
      first = { run, place };
    }
    return first;
  }

  #enterNew(): void {
    const { runs } = this.#followed;
    if (runs.size === this.#entered.size) return;
    for (const run of runs.values()) {
      if (this.#entered.has(run)) continue;
      const from = this.#places.get(run.workflowId);
      if (from !== undefined && run.log.length === 0 && !run.hasEnded) continue;
      if (from !== undefined && placeIn(run.log, from.index).tag !== from.tag)
        throw wasReset(run.workflowId);
      this.#entered.add(run);
      this.#open.set(run, run.events.open(from?.index));
    }
  }

  #leave(run: FollowedRun, place: BufferPlace): void {
    run.events.close(place);
    this.#open.delete(run);
  }

  get #root(): string {
    return this.#followed.place.workflowId;
  }

  get #encoded(): string {
    this.#position ??= encodePosition(this.#root, this.#places);
    return this.#position;
  }
}

/** The client was closed while the stream was open. */
export function wasClosed(): LonghaulError {
  return new LonghaulError(
    'StreamCut',
    'the client was closed. Open the stream again with another client, from the position of its last event',
    { retryable: true },
  );
}
