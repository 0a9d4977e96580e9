// Writes the events that a worker publishes. It runs one statement at a time, so that the rows of a call are in order, and merges the
// events that come meanwhile.

import { setImmediate } from 'node:timers/promises';
import { type LiveAttempt, type LiveEvent, type LivePlace, timeouts } from '../../../protocol';
import { postgresError } from '../../state/postgres/postgres-pool';
import type { DeltaRows } from './delta-rows';
import { type DeltasDatabase, hashOf, within } from './deltas-database';
import { EndedCalls } from './ended-calls';
import { Outage } from './outage';
import { Outbox } from './outbox';
import { Backoff, Pause } from './pause';

/**
 * The pause between two statements. The first delta after a silence does not wait. Every commit that notifies takes a lock of the whole
 * server.
 */
const pauseMs = 15;

/** The events of each run of the batch, and the columns of their rows. */
type Batch = {
  readonly runs: readonly (readonly LiveEvent[])[];
  readonly columns: readonly [roots: string[], calls: (string | undefined)[], values: Uint8Array[]];
};

export class DeltaWriter {
  readonly #database: DeltasDatabase;
  readonly #rows: DeltaRows;
  readonly #outbox = new Outbox();
  readonly #ended: EndedCalls;
  readonly #outage: Outage;
  readonly #pause = new Pause();
  readonly #backoff = new Backoff();
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: DeltasDatabase, rows: DeltaRows, warn: (message: string) => void) {
    this.#database = database;
    this.#rows = rows;
    this.#ended = new EndedCalls(database);
    this.#outage = new Outage(warn);
  }

  publish(event: LiveEvent): void {
    if (this.#isClosed) return;
    this.#outbox.add(event);
    this.#writing ??= this.#write();
  }

  /** Flushes once, then deletes finished rows. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pause.skip();
    const last = async (): Promise<void> => {
      await this.#writing;
      await this.#ended.close();
    };
    await within(timeouts.deltas, last()).catch(() => undefined);
  }

  async #write(): Promise<void> {
    // The deltas of one chunk come one after the other.
    await setImmediate();
    for (let runs = this.#outbox.take(); runs.length > 0; runs = this.#outbox.take()) {
      const batch = await this.#batch(runs);
      while (batch !== undefined && !(await this.#isDone(batch)))
        await this.#pause.wait(this.#backoff.next());
      if (!this.#isClosed) await this.#pause.wait(pauseMs);
    }
    this.#writing = undefined;
  }

  /** Undefined if the codec fails: then the readers see a gap. */
  async #batch(runs: readonly (readonly LiveEvent[])[]): Promise<Batch | undefined> {
    try {
      const values = await Promise.all(runs.map((events) => this.#rows.write(events)));
      const roots = runs.map(([first]) => hashOf(first?.root ?? ''));
      return { runs, columns: [roots, runs.map(callOf), values] };
    } catch (error) {
      this.#outage.report('cannot encode what it writes', error);
      return undefined;
    }
  }

  /** False if another attempt may succeed. The readers drop what comes twice. */
  async #isDone({ runs, columns }: Batch): Promise<boolean> {
    const { table, channel } = this.#database;
    try {
      await this.#database.run(
        `with written as (
           insert into ${table} (root, call, value)
           select * from unnest($1::text[], $2::text[], $3::bytea[]) returning id, root)
         select pg_notify($4, string_agg(root || ':' || id, ' ')) from written`,
        [...columns, channel],
      );
      this.#backoff.reset();
      this.#outage.end();
      for (const events of runs) this.#ended.add(events.flatMap(endedBy));
      return true;
    } catch (error) {
      const failure = postgresError(error);
      this.#outage.report('cannot write', failure);
      return this.#isClosed || !failure.retryable;
    }
  }
}

/** A row has events of one call at most: the outbox drops the events of an earlier attempt. */
function callOf(events: readonly LiveEvent[]): string | undefined {
  const event = events.findLast(({ kind }) => kind !== 'moved');
  return event === undefined || event.kind === 'moved' ? undefined : keyOf(event, event);
}

function endedBy(event: LiveEvent): readonly string[] {
  return event.kind === 'moved' && event.ended ? [keyOf(event, event.ended)] : [];
}

function keyOf({ workflowId }: LivePlace, { turn, calledAt, attempt }: LiveAttempt): string {
  return hashOf(workflowId, turn, calledAt, attempt);
}
