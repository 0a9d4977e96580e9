// One stream: a place on the tape of each run, and on the board of the root. It keeps no events, so a slow reader costs nothing: deltas that
// it has not read yet are one event when it comes back.

import { LonghaulError } from '../../protocol';
import type { StreamEvent, StreamPlace } from '../../core/stream/events';
import { type Board, BoardReader, type Unplaced } from './board';
import { type FollowedRun, wasReset } from './followed-run';
import { encodePosition, type LogPlace, type Places } from './position';
import type { TapePlace } from './run-tape';

/** What a stream reads. */
export interface Followed {
  /** Of the run that was opened. */
  readonly place: StreamPlace;
  readonly board: Board;
  /** The next round of looking. What is known before it may be old. */
  readonly nextRound: number;
  /** Whether this round, or a later one, found out whether the run is paused. */
  hasLooked(round: number): boolean;
  /** In the order in which they were found. */
  readonly runs: ReadonlyMap<string, FollowedRun>;
}

export class StreamCursor {
  readonly #followed: Followed;
  readonly #board: BoardReader;
  readonly #round: number;
  readonly #places: Map<string, LogPlace>;
  readonly #entered = new Set<FollowedRun>();
  /** Its places on the tapes that it has not read to their end. */
  readonly #open = new Map<FollowedRun, TapePlace>();
  #position: string | undefined;

  constructor(followed: Followed, from: Places) {
    this.#followed = followed;
    this.#board = new BoardReader(followed.board);
    this.#round = followed.nextRound;
    this.#places = new Map(from);
  }

  get hasEnded(): boolean {
    return this.#board.hasEnded;
  }

  /** Undefined if there is nothing new. Throws `StreamCut` if the stream cannot go on from its position. */
  next(): StreamEvent | undefined {
    const event = this.#nextOfTapes() ?? this.#nextOfBoard();
    return event && { ...event, position: this.#encoded };
  }

  /** Another process may have ended a pause that is still on the board. A stream that begins there would end at it, and miss the rest. */
  #nextOfBoard(): ReturnType<BoardReader['next']> {
    const { place } = this.#followed;
    return this.#board.next(place, this.#followed.hasLooked(this.#round));
  }

  close(): void {
    for (const [run, place] of this.#open) this.#leave(run, place);
  }

  #nextOfTapes(): Unplaced<StreamEvent> | undefined {
    const first = this.#first();
    if (first === undefined) return undefined;
    const { run, place } = first;
    const taped = run.tape.next(place);
    if (taped === undefined) return undefined;
    const { told, ...event } = taped;
    this.#advance(run, told);
    return event;
  }

  #advance(run: FollowedRun, told: number): void {
    const { workflowId } = run;
    if (told === 0 || told === this.#places.get(workflowId)?.index) return;
    this.#places.delete(workflowId);
    this.#places.set(workflowId, run.placeAt(told));
    this.#position = undefined;
  }

  /** The run whose next event is the oldest one. */
  #first(): { readonly run: FollowedRun; readonly place: TapePlace } | undefined {
    this.#enterNew();
    let first: { readonly run: FollowedRun; readonly place: TapePlace } | undefined;
    let oldest = Infinity;
    for (const [run, place] of this.#open) {
      const order = run.tape.orderAt(place);
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
      if (from !== undefined && run.isEmpty && !run.hasEnded) continue;
      if (from !== undefined && run.placeAt(from.index).tag !== from.tag)
        throw wasReset(run.workflowId);
      this.#entered.add(run);
      this.#open.set(run, run.tape.open(from?.index));
    }
  }

  #leave(run: FollowedRun, place: TapePlace): void {
    run.tape.close(place);
    this.#open.delete(run);
  }

  get #encoded(): string {
    this.#position ??= encodePosition(this.#followed.place.workflowId, this.#places);
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
