// Reads the rows of workers: one connection listens, for all subscriptions of the process.

import { type LiveEvent, timeouts } from '../../../protocol';
import { type Listener, Listeners } from '../listeners';
import { postgresError } from '../../state/postgres/postgres-pool';
import type { DeltaRows } from './delta-rows';
import { type DeltasConnection, type DeltasDatabase, hashOf, within } from './deltas-database';
import { newEvents } from './new-events';
import { Outage } from './outage';
import { Backoff, Pause } from './pause';

/** How often a silent connection is tried. A connection that is lost without a word brings no notification. */
const pingMs = 15_000;

const rowsAtOnce = 500;
const rootsAtOnce = 20;

/** With more keys than these, it is simpler to read all rows. */
const maxKeys = 10_000;

const notifiedKey = /([0-9a-f]{16}):(\d{1,19})/g;

type Row = Readonly<Record<string, unknown>>;

export class DeltaReader {
  readonly #database: DeltasDatabase;
  readonly #rows: DeltaRows;
  /** Listeners by the hash of the root. */
  readonly #listeners = new Listeners();
  readonly #outage: Outage;
  readonly #unreadable: Outage;
  readonly #news = new Pause();
  readonly #retry = new Pause();
  readonly #backoff = new Backoff();
  /** The rows to read: those of whole roots, and single rows. */
  readonly #roots = new Set<string>();
  readonly #ids = new Set<string>();
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: DeltasDatabase, rows: DeltaRows, warn: (message: string) => void) {
    this.#database = database;
    this.#rows = rows;
    this.#outage = new Outage(warn);
    this.#unreadable = new Outage(warn);
  }

  subscribe(root: string, listener: Listener): () => void {
    if (this.#isClosed) return () => undefined;
    const hash = hashOf(root);
    const subscription = this.#listeners.add(hash, listener, { isNew: newEvents(root) });
    this.#roots.add(hash);
    this.#news.skip();
    this.#reading ??= this.#read();
    return () => this.#listeners.remove(hash, subscription);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.close();
    this.#news.skip();
    this.#retry.skip();
    if (this.#reading) await within(timeouts.deltas, this.#reading).catch(() => undefined);
  }

  /** Reads until nobody listens. */
  async #read(): Promise<void> {
    while (this.#isWanted()) {
      try {
        await this.#follow(await this.#database.connect());
      } catch (error) {
        this.#database.prepareAgain();
        this.#outage.report('cannot read', postgresError(error));
        await this.#retry.wait(this.#backoff.next());
      }
    }
    this.#reading = undefined;
  }

  /** Listens first and reads then, so that no row falls between. */
  async #follow(connection: DeltasConnection): Promise<void> {
    let isLost = false;
    const onLost = (): void => {
      isLost = true;
      this.#news.skip();
    };
    try {
      connection.listen((payload) => this.#notified(payload), onLost);
      await connection.query(`listen "${this.#database.channel}"`);
      this.#readAll();
      while (this.#isWanted()) {
        if (isLost) throw new Error('the connection was lost');
        if (await this.#readNext(connection)) {
          this.#backoff.reset();
          this.#outage.end();
        } else if (!(await this.#news.wait(pingMs))) await connection.query('select 1');
      }
    } finally {
      // It listens: nobody else may use it.
      connection.release(true);
    }
  }

  #isWanted(): boolean {
    return !this.#isClosed && !this.#listeners.isEmpty;
  }

  #notified(payload: string): void {
    for (const [, root = '', id = ''] of payload.matchAll(notifiedKey))
      if (this.#listeners.has(root)) this.#ids.add(id);
    if (this.#ids.size > maxKeys) this.#readAll();
    this.#news.skip();
  }

  #readAll(): void {
    this.#ids.clear();
    for (const root of this.#listeners.roots()) this.#roots.add(root);
  }

  /** False if there is nothing to read. */
  async #readNext(connection: DeltasConnection): Promise<boolean> {
    const { table } = this.#database;
    const roots = takeFrom(this.#roots, rootsAtOnce);
    if (roots.length > 0) {
      await this.#readRoots(connection, roots);
      return true;
    }
    const ids = takeFrom(this.#ids, rowsAtOnce);
    if (ids.length === 0) return false;
    const sql = `select root, value from ${table} where id = any($1::bigint[]) order by id`;
    await this.#deliver(await connection.query(sql, [ids]));
    return true;
  }

  /** The rows of model calls in progress, and of those that have just ended. */
  async #readRoots(connection: DeltasConnection, roots: readonly string[]): Promise<void> {
    const sql = `select id, root, value from ${this.#database.table}
      where root = any($1) and call is not null and id > $2 order by id limit ${rowsAtOnce}`;
    for (let after: unknown = 0; after !== undefined;) {
      const rows = await connection.query(sql, [roots, after]);
      await this.#deliver(rows);
      after = rows.length < rowsAtOnce ? undefined : rows.at(-1)?.['id'];
    }
  }

  async #deliver(rows: readonly Row[]): Promise<void> {
    const runs = new Map<string, { readonly root: string; readonly events: LiveEvent[] }>();
    for (const { root, value } of rows)
      for (const event of await this.#eventsOf(value)) {
        const run = runs.get(event.workflowId) ?? { root: String(root), events: [] };
        run.events.push(event);
        runs.set(event.workflowId, run);
      }
    for (const { root, events } of runs.values()) {
      for (const subscription of this.#listeners.of(root)) subscription.send(events);
    }
  }

  async #eventsOf(value: unknown): Promise<readonly LiveEvent[]> {
    try {
      return await this.#rows.read(value);
    } catch (error) {
      this.#unreadable.report('cannot read a row', error);
      return [];
    }
  }
}

function takeFrom(keys: Set<string>, count: number): readonly string[] {
  const taken: string[] = [];
  for (const key of keys) {
    if (taken.length === count) break;
    keys.delete(key);
    taken.push(key);
  }
  return taken;
}
