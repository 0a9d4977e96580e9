// The events of one run so far, for streams that begin late or read slowly. A stream is a place in it, so it holds nothing itself.
//
// 1. Deltas that follow each other are one event. A stream that has its beginning gets only the rest.
//    Their pieces stay apart: to join a text with each new piece costs the length of the text each time.
// 2. If a step begins again, what its earlier attempt said leaves the buffer.
// 3. A stream never begins inside a step: its reader has no beginning of it, or would get its calls twice. The log may grow while a step is
//    in progress, as by a summary that was written before the step began and is read late.

import type { UnplacedEvent } from '../../core/stream/events';
import type { End } from './run-now';

/**
 * `told`: how many entries of the log nobody needs to tell again to those who have this event. The end of a run counts as one more entry.
 */
export type BufferedEvent = (UnplacedEvent | End) & { readonly told: number };

type Kept = {
  readonly event: BufferedEvent;
  /** All deltas of the event. Undefined if it is no delta. */
  readonly pieces: string[] | undefined;
  /** Orders the events of all runs of a tree. */
  readonly order: number;
};

type Delta = Extract<BufferedEvent, { readonly delta: string }>;

/** Where a stream is: before an event of the buffer, and in it after so many pieces of its delta. */
export type BufferPlace = { index: number; offset: number };

/** What a step says before its end. */
const piecesOfSteps: readonly BufferedEvent['type'][] = [
  'step-begin',
  'text',
  'reasoning',
  'call-begin',
  'call-delta',
  'call',
];

export class EventBuffer {
  readonly #events: Kept[] = [];
  readonly #readers = new Set<BufferPlace>();
  /** Where the step in progress begins. */
  #step: { readonly at: number; readonly turn: number } | undefined;

  /** A place that moves with the buffer: after the first `told` log entries, and before all that a step in progress said. */
  open(told = 0): BufferPlace {
    const found = this.#events.findIndex(({ event }) => event.told >= told);
    const index = found === -1 ? this.#events.length : found;
    const event = this.#events[index]?.event;
    // The event that completes the last of these entries.
    const isTold = told > 0 && event?.told === told && !isPiece(event);
    const place = { index: this.#beginOfStep(isTold ? index + 1 : index), offset: 0 };
    this.#readers.add(place);
    return place;
  }

  close(place: BufferPlace): void {
    this.#readers.delete(place);
  }

  /** The order of the next event at this place. Undefined if there is none. */
  orderAt(place: BufferPlace): number | undefined {
    const kept = this.#events[place.index];
    if (kept === undefined) return undefined;
    const isTold = kept.pieces !== undefined && kept.pieces.length <= place.offset;
    if (!isTold) return kept.order;
    return this.#events[place.index + 1]?.order;
  }

  next(place: BufferPlace): BufferedEvent | undefined {
    const kept = this.#events[place.index];
    if (kept === undefined) return undefined;
    const { event, pieces } = kept;
    if (pieces === undefined) {
      place.index += 1;
      return event;
    }
    if (pieces.length <= place.offset) {
      Object.assign(place, { index: place.index + 1, offset: 0 });
      return this.next(place);
    }
    const news = pieces.slice(place.offset);
    place.offset = pieces.length;
    return { ...(event as Delta), delta: news.join('') };
  }

  add(events: readonly BufferedEvent[], order: () => number): void {
    for (const event of events) this.#add(event, order);
  }

  #add(event: BufferedEvent, order: () => number): void {
    if (isDelta(event) && event.delta === '') return;
    if (event.type === 'step-begin') {
      this.#forgetStep();
      this.#step = { at: this.#events.length, turn: event.turn };
    }
    if (event.type === 'step-end' && event.turn === this.#step?.turn) this.#step = undefined;
    const last = this.#events.at(-1);
    if (isDelta(event) && last !== undefined && isSamePart(last.event, event))
      last.pieces?.push(event.delta);
    else
      this.#events.push({
        event,
        pieces: isDelta(event) ? [event.delta] : undefined,
        order: order(),
      });
  }

  /** Where the step of this event begins. The index itself if it is not inside a step. */
  #beginOfStep(index: number): number {
    const event = this.#events[index]?.event;
    if (event === undefined || !isPiece(event)) return index;
    const isBegin = (other: BufferedEvent): boolean =>
      other.type === 'step-begin' && other.turn === event.turn;
    const begin = this.#events.findLastIndex((kept, at) => at <= index && isBegin(kept.event));
    return begin === -1 ? index : begin;
  }

  /** Other events that came during the step stay, in front of the step that begins now. */
  #forgetStep(): void {
    if (this.#step === undefined) return;
    const { at, turn } = this.#step;
    const since = this.#events.splice(at);
    const stays = since.map(({ event }) => !(isPiece(event) && event.turn === turn));
    this.#events.push(...since.filter((_, index) => stays[index]));
    for (const place of this.#readers) {
      if (place.index < at) continue;
      const isOnStep = stays[place.index - at] !== true;
      place.index = at + stays.slice(0, place.index - at).filter(Boolean).length;
      if (isOnStep) place.offset = 0;
    }
  }
}

export function isPiece<Event extends UnplacedEvent>(
  event: Event,
): event is Extract<Event, { readonly turn: number }> {
  return piecesOfSteps.includes(event.type);
}

function isDelta(event: BufferedEvent): event is Delta {
  return 'delta' in event;
}

function isSamePart(last: BufferedEvent, event: Delta): boolean {
  if (!isDelta(last)) return false;
  return last.type === event.type && last.turn === event.turn && last.part === event.part;
}
