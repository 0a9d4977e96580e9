import type { LogEntry } from '../protocol/log';
import type { LiveEvent } from '../protocol/live';
import type { StreamPlace, UnplacedEvent } from './events';

/** Turns what is known of one run into the events of its stream. Pure: the same facts give the same events. */
export class RunProjection {
  readonly #place: StreamPlace;

  constructor(place: StreamPlace) {
    this.#place = place;
  }

  /** All entries that the run has from index `from` on. A turn comes with the decisions about it. */
  log(_from: number, _entries: readonly LogEntry[]): readonly UnplacedEvent[] {
    throw new Error(`to be written: ${this.#place.path}`);
  }

  /** A live event. Late ones and repetitions give nothing. */
  live(_event: LiveEvent): readonly UnplacedEvent[] {
    throw new Error('to be written');
  }
}
