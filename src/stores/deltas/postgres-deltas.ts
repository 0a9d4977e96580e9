import type { LiveEvent } from '../../protocol';
import type { EncryptionOptions } from '../../server';
import type { Deltas } from './deltas';
import type { Listener } from './listeners';
import { DeltaReader } from './postgres/delta-reader';
import { DeltaRows } from './postgres/delta-rows';
import { DeltaWriter } from './postgres/delta-writer';
import { type DatabaseOptions, DeltasDatabase } from './postgres/deltas-database';

export type PostgresDeltasOptions = DatabaseOptions & {
  /** Encrypts the rows. Give it the codecs of your workers and clients; a worker with `encryption` requires it. */
  readonly encryption?: Required<EncryptionOptions>['encryption'];
};

/**
 * Deltas for workers and readers in many processes, through one PostgreSQL. The first use makes the table. While the database is away,
 * nothing waits for it: streams show whole turns.
 *
 * @example
 * const deltas = new PostgresDeltas({ connectionString: process.env.DATABASE_URL });
 * const worker = await createWorker({ runners: [agent], deltas });
 */
export class PostgresDeltas implements Deltas {
  readonly inClear: boolean;
  readonly #database: DeltasDatabase;
  readonly #writer: DeltaWriter;
  readonly #reader: DeltaReader;
  #warn = (message: string): void => process.emitWarning(message, { code: 'LONGHAUL_DELTAS' });

  /** Needs no server. Throws `StoreError` for wrong options, and `PackageMissing` without `pg`. */
  constructor(options: PostgresDeltasOptions = {}) {
    this.inClear = options.encryption === undefined;
    this.#database = new DeltasDatabase(options);
    const rows = new DeltaRows(options);
    const warn = (message: string): void => this.#warn(message);
    this.#writer = new DeltaWriter(this.#database, rows, warn);
    this.#reader = new DeltaReader(this.#database, rows, warn);
  }

  publish(event: LiveEvent): void {
    this.#writer.publish(event);
  }

  subscribe(root: string, listener: Listener): () => void {
    return this.#reader.subscribe(root, listener);
  }

  logTo(warn: (message: string) => void): void {
    this.#warn = warn;
  }

  /** Writes the waiting events, deletes the rows of calls that have ended, and closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
    await this.#database.close();
  }
}
