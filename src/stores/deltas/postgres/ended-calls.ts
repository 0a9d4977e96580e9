import type { DeltasDatabase } from './deltas-database';

/** The time that readers have for the last rows. */
const readMs = 10_000;

/** Beyond this, rows wait for their age. */
const maxCalls = 10_000;

/**
 * Old rows are deleted by age: rows of calls after the time of the longest call, because their worker is gone, and rows without a call
 * after a minute.
 */
const tooOld = `written_at < now() - interval '20 minutes'
  or (call is null and written_at < now() - interval '1 minute')`;

/** Deletes the rows of calls that are over, and old rows of any worker. */
export class EndedCalls {
  readonly #database: DeltasDatabase;
  #ended: string[] = [];
  #due: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: DeltasDatabase) {
    this.#database = database;
  }

  add(calls: readonly string[]): void {
    if (this.#ended.length < maxCalls) this.#ended.push(...calls);
    if (this.#ended.length > 0) this.#timer ??= setTimeout(() => void this.#tick(), readMs).unref();
  }

  /** Deletes all rows of ended calls at once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#delete([...this.#due, ...this.#ended]);
  }

  async #tick(): Promise<void> {
    const calls = this.#due;
    this.#due = this.#ended;
    this.#ended = [];
    await this.#delete(calls);
    this.#timer = undefined;
    if (this.#due.length > 0) this.add([]);
  }

  async #delete(calls: readonly string[]): Promise<void> {
    if (calls.length === 0) return;
    const { table } = this.#database;
    try {
      await this.#database.run(`delete from ${table} where call = any($1) or ${tooOld}`, [calls]);
    } catch {
      // The rows are deleted later, by their age. If the database is away, the writer reports that.
    }
  }
}
