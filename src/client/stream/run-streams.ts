import type { Client } from '@temporalio/client';
import type { Deltas } from '../../deltas/deltas';
import type { StreamEvent } from '../../stream/events';

export type StreamOptions = {
  /** Also the runs below it, at any depth. Default false. */
  readonly tree?: boolean;
  /** The `position` of the last event that you have. Default: from the beginning. */
  readonly from?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
};

/** Streams of runs. It reads each run once, for any number of streams. */
export class RunStreams {
  readonly #client: Client;
  readonly #deltas: Deltas | undefined;

  constructor(client: Client, deltas?: Deltas) {
    this.#client = client;
    this.#deltas = deltas;
  }

  /**
   * The events of a run, from its beginning or a position, until it ends. Throws `RunNotFound`. While no worker or no server answers, it
   * yields `stalled` and waits.
   */
  open(workflowId: string, _options: StreamOptions = {}): AsyncIterable<StreamEvent> {
    throw new Error(`to be written: ${workflowId} ${typeof this.#client} ${typeof this.#deltas}`);
  }

  /** Looks at a run at once: somebody has just answered it. */
  wake(_workflowId: string): void {
    throw new Error('to be written');
  }
}
